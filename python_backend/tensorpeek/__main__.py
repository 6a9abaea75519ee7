"""`python -m tensorpeek COMMAND`."""

from __future__ import annotations

import sys

USAGE = """usage: python -m tensorpeek COMMAND [options] (SCRIPT | -m MODULE) [arguments of the program …]

  run     runs a program and says when its training goes wrong, at the line that did it
          (python -m tensorpeek run --help)
  shapes  prints the source of a model with the shape of each line
          (python -m tensorpeek shapes --help)
  profile runs a program that trains and says where its time and memory go
          (python -m tensorpeek profile --help)
  report  prints what a profiled run says, as Markdown
          (python -m tensorpeek report --help)
"""


def main() -> None:
    words = sys.argv[1:]
    if words[:1] == ["run"]:
        from tensorpeek.cli import options, run

        run.run(options.parse(words[1:]))
        return
    if words[:1] == ["shapes"]:
        from tensorpeek.cli import shapes, shapes_options

        shapes.shapes(shapes_options.parse(words[1:]))
    if words[:1] == ["profile"]:
        from tensorpeek.cli import profile, profile_options

        profile.profile(profile_options.parse(words[1:]))
        return
    if words[:1] == ["report"]:
        from tensorpeek.cli import report

        report.report(words[1:])
        return
    is_asked = words[:1] in (["-h"], ["--help"])
    (sys.stdout if is_asked else sys.stderr).write(USAGE)
    raise SystemExit(0 if is_asked else 2)


if __name__ == "__main__":
    main()
