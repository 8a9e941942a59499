"""Which files count as source, and which licence is recognised."""

import pytest

from schemas.snapshot import is_test_path
from seeds.repository_code import detect_license, discover_sources
from seeds.repository_trees import FileTree, TreeFile

MIT = b"Permission is hereby granted, free of charge, to any person obtaining a copy\nof this software"
BSD = b"Redistributions of source code must retain the above copyright notice"


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (("src/pkg/a.py", "src/pkg/b.py", "tests/test_a.py", "setup.py"), ("src/pkg/a.py", "src/pkg/b.py")),
        (("pkg/__init__.py", "pkg/a.py", "pkg/tests/test_a.py", "docs/conf.py"), ("pkg/__init__.py", "pkg/a.py")),
        (("module.py", "test_module.py", "setup.py", "conftest.py"), ("module.py",)),
        (("pkg/__init__.py", "build/lib/pkg/__init__.py", "pkg/_vendor/six.py"), ("pkg/__init__.py",)),
        (("lib/pkg/__init__.py", "lib/pkg/a.py"), ("lib/pkg/__init__.py", "lib/pkg/a.py")),
        (("src/pkg/testing/a.py", "src/pkg/a.py", "src/pkg.egg-info/x.py"), ("src/pkg/a.py",)),
        (("README.md", "tests/test_a.py"), ()),
    ],
)
def test_only_own_source_is_discovered(paths: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert discover_sources(paths) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/data/input.json", True),
        ("pkg/tests/__init__.py", True),
        ("test_a.py", True),
        ("pkg/a_test.py", True),
        ("pkg/conftest.py", True),
        ("pkg/contest.py", False),
        ("src/latest/a.py", False),
    ],
)
def test_paths_of_tests(path: str, expected: bool) -> None:
    assert is_test_path(path) is expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"pyproject.toml": b'[project]\nlicense = "MIT OR Apache-2.0"\n'}, "MIT OR Apache-2.0"),
        ({"pyproject.toml": b'[project]\nlicense = {text = "BSD"}\n'}, "BSD-3-Clause"),
        (
            {"pyproject.toml": b'[project]\nclassifiers = ["License :: OSI Approved :: ISC License (ISCL)"]\n'},
            "ISC",
        ),
        ({"PKG-INFO": b"Name: x\nLicense: MIT\n\nLicense: not this one\n"}, "MIT"),
        ({"PKG-INFO": b"Name: x\nLicense: UNKNOWN\n\n", "LICENSE": MIT}, "MIT"),
        ({"LICENSE.txt": MIT}, "MIT"),
        ({"COPYING": BSD}, "BSD-2-Clause"),
        ({"licence": BSD + b" ... to endorse or promote products"}, "BSD-3-Clause"),
        ({"LICENSE": b"Apache License\n   Version 2.0, January 2004"}, "Apache-2.0"),
        ({"LICENSE": b"All rights reserved."}, "NOASSERTION"),
        ({"pyproject.toml": b"not toml ["}, "NOASSERTION"),
        ({}, "NOASSERTION"),
    ],
)
def test_licences(files: dict[str, bytes], expected: str) -> None:
    tree = FileTree(files={path: TreeFile(data=data) for path, data in files.items()})
    assert detect_license(tree) == expected
