import os

from sandbox.inside.seal import KEY_SIZE, TAG_SIZE, Seal

KEY = bytes(range(KEY_SIZE))


def test_both_sides_make_the_same_tags_in_turn():
    reading, writing = os.pipe()
    os.write(writing, KEY + b"next")
    server = Seal()
    server.receive(reading)
    assert os.read(reading, 10) == b"next"
    os.close(reading)
    os.close(writing)
    host = Seal(KEY)
    assert [server.make_tag(b"a"), server.make_tag(b"a")] == [host.make_tag(b"a"), host.make_tag(b"a")]


def test_an_answer_has_another_tag_when_it_is_said_again():
    seal = Seal(KEY)
    first = seal.make_tag(b"a")
    assert len(first) == seal.tag_size == TAG_SIZE
    assert seal.make_tag(b"a") != first


def test_nothing_is_sealed_without_a_key():
    assert (Seal().make_tag(b"a"), Seal().tag_size) == (b"", 0)


def test_who_has_forgotten_the_key_makes_other_tags():
    seal = Seal(KEY)
    seal.forget()
    assert seal.make_tag(b"a") != Seal(KEY).make_tag(b"a")
    assert bytes(seal._key) == bytes(KEY_SIZE)
