"""The screens of the full-screen client. Each draws itself and takes its own keys; none does I/O."""
