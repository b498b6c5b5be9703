"""Many seeds, or one."""

from tests.simulation.command import main

raise SystemExit(main())
