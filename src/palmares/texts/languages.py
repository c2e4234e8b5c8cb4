"""Language codes and pairs: how they are written, and what a page must know of a language.

A few lists instead of langcodes or Babel, which bring data for all the world's locales: pages need the shortest code
and the direction of writing, and what is no code is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ..errors import InputError

_CODE = re.compile(r"([a-z]{2,3})(?:_([a-z]{4}))?(?:_([a-z]{2}|[0-9]{3}))?", re.IGNORECASE)
_ALLOWED = (
    "allowed: two codes joined by a hyphen, each of two letters (fr) or three (fra), with script or region after an "
    "underscore (zh_Hans, pt_BR); examples: fr-en, deu-eng, pt_BR-en"
)
#: What a test set without a language is called where others name their pair. It can be no code: those are shorter.
NO_LANGUAGE = "any-language"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: ISO 639-1.
_TWO_LETTERS = _words("""
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el
    en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja
    jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd
    ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr
    ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
""")

#: Codes that are not (or no longer) right, but stand in published data: cz in WMT's files, iw in older Java.
_ALIASES = {
    "cz": "cs", "jp": "ja", "cn": "zh", "gr": "el", "ua": "uk", "dk": "da", "vn": "vi", "iw": "he", "ji": "yi",
    "in": "id", "jw": "jv", "mo": "ro",
}  # fmt: skip

#: ISO 639-2 and 639-3 to 639-1, where there is one. Individual codes of Arabic, Persian and so on keep their own tag.
_THREE_LETTERS = dict(
    item.split(":")
    for item in _words("""
    afr:af aka:ak alb:sq sqi:sq amh:am ara:ar arb:ar arm:hy hye:hy asm:as aym:ay aze:az azj:az bak:ba
    bam:bm baq:eu eus:eu bel:be ben:bn bod:bo tib:bo bos:bs bre:br bul:bg bur:my mya:my cat:ca ces:cs cze:cs chi:zh
    zho:zh cmn:zh chv:cv cos:co cym:cy wel:cy dan:da deu:de ger:de div:dv dut:nl nld:nl dzo:dz ell:el gre:el eng:en
    epo:eo est:et ekk:et ewe:ee fao:fo fas:fa per:fa pes:fa fij:fj fin:fi fra:fr fre:fr fry:fy ful:ff geo:ka kat:ka
    gla:gd gle:ga glg:gl grn:gn guj:gu hat:ht hau:ha heb:he hin:hi hrv:hr hun:hu ibo:ig ice:is isl:is iku:iu ind:id
    ita:it jav:jv jpn:ja kan:kn kas:ks kaz:kk khm:km kin:rw kir:ky kor:ko kur:ku kmr:ku lao:lo lat:la lav:lv lvs:lv
    lim:li lin:ln lit:lt ltz:lb lug:lg mac:mk mkd:mk mal:ml mao:mi mri:mi mar:mr may:ms msa:ms zsm:ms mlg:mg plt:mg
    mlt:mt mon:mn khk:mn nep:ne npi:ne nno:nn nob:nb nor:no nya:ny oci:oc ori:or ory:or orm:om gaz:om oss:os pan:pa
    pol:pl por:pt pus:ps pbt:ps que:qu quy:qu roh:rm ron:ro rum:ro run:rn rus:ru sag:sg san:sa sin:si slk:sk slo:sk
    slv:sl smo:sm sme:se sna:sn snd:sd som:so sot:st spa:es srd:sc srp:sr ssw:ss sun:su swa:sw swh:sw swe:sv tah:ty
    tam:ta tat:tt tel:te tgk:tg tgl:tl tha:th tir:ti ton:to tsn:tn tso:ts tuk:tk tur:tr twi:tw uig:ug ukr:uk urd:ur
    uzb:uz uzn:uz vie:vi wln:wa wol:wo xho:xh yid:yi ydd:yi yor:yo zul:zu
""")
)

#: Written from right to left unless a script says otherwise.
_RIGHT_TO_LEFT = _words("""
    ar he fa ur ps sd ug yi dv ks ckb sdh arc syr syc aii cld tmr sam mid nqo abv acm acq acw acx adf aeb afb ajp apc
    apd arq ars ary arz ayl ayn azb bal bcc bgn bqi glk haz khw lki lrc luz mzn ota pnb prs rhg shu skr swb trw hbo
    jpr jrb
""")
_RIGHT_TO_LEFT_SCRIPTS = _words("""
    Adlm Arab Aran Armi Avst Chrs Cprt Elym Hatr Hebr Hung Khar Lydi Mand Mani Mend Merc Mero Narb Nbat Nkoo Orkh
    Ougr Palm Phli Phlp Phnx Prti Rohg Samr Sarb Sogd Sogo Syrc Syre Syrj Syrn Thaa Yezi
""")


@dataclass(frozen=True, order=True)
class LanguagePair:
    """From which language into which; ``str()`` gives ``fr-en``.

    Prompts and answers in one language (``one``) have it as source and target, and ``str()`` gives ``en``. Where no
    language is named, both are empty, and ``str()`` gives ``any-language``.
    """

    source: str
    target: str
    one: bool = False

    @classmethod
    def of(cls, text: str) -> LanguagePair:
        """Read a pair as `parse` does, or one language: ``en``."""
        if text.strip() == NO_LANGUAGE:
            return cls("", "")
        if "-" in text:
            return cls.parse(text)
        try:
            code = parse_code(text)
        except InputError:
            alone = "or one code alone (en), for prompts and answers in one language"
            raise InputError(f"language pair: got {text!r}; {_ALLOWED}; {alone}") from None
        return cls(code, code, one=True)

    @classmethod
    def parse(cls, text: str) -> LanguagePair:
        """Read ``fr-en``, ``deu-eng`` or ``pt_BR-en``; codes are kept as given, but for their case."""
        codes = text.strip().split("-")
        if len(codes) != 2:
            raise InputError(f"language pair: got {text!r}; {_ALLOWED}")
        source, target = (parse_code(code) for code in codes)
        return cls(source, target)

    def same_as(self, other: LanguagePair) -> bool:
        """Whether both pairs mean the same languages, though one may say ``de`` and the other ``deu``."""
        return html_lang(self.source) == html_lang(other.source) and html_lang(self.target) == html_lang(other.target)

    @property
    def is_pair(self) -> bool:
        """Whether texts are to be in the target language what they are in the source language."""
        return bool(self.source) and not self.one

    def __str__(self) -> str:
        if not self.source:
            return NO_LANGUAGE
        return self.source if self.one else f"{self.source}-{self.target}"


def parse_code(text: str) -> str:
    """One language code, its parts in their usual case; what is none is refused."""
    match = _CODE.fullmatch(text.strip())
    if match is None:
        raise InputError(f"language code: got {text!r}; {_ALLOWED}")
    language, script, region = match.groups()
    language = language.lower()
    if len(language) == 2 and language not in _TWO_LETTERS and language not in _ALIASES:
        raise InputError(f"language code: got {text!r}, and ISO 639-1 has no {language!r}; {_ALLOWED}")
    return "_".join([language, *([script.title()] if script else []), *([region.upper()] if region else [])])


def html_lang(code: str) -> str:
    """The BCP 47 tag for the ``lang`` attribute of HTML: ``deu`` is ``de``, ``zh_Hans`` is ``zh-Hans``.

    No code gives no tag, which tells a browser that the language is not known.
    """
    if not code:
        return ""
    language, *rest = parse_code(code).split("_")
    return "-".join([_shortest(language), *rest])


def direction(code: str) -> Literal["rtl", "ltr", "auto"]:
    """Which way a language is written; a script in the code decides before the language does.

    Without a code the browser goes by the first letter (``auto``).
    """
    if not code:
        return "auto"
    language, *rest = parse_code(code).split("_")
    scripts = [part for part in rest if len(part) == 4]
    if scripts:
        return "rtl" if scripts[0] in _RIGHT_TO_LEFT_SCRIPTS else "ltr"
    return "rtl" if _shortest(language) in _RIGHT_TO_LEFT else "ltr"


def base_language(code: str) -> str:
    """The language of a code without script and region, by its shortest code: ``de`` for ``deu_AT``; none for none."""
    return "" if not code else _shortest(parse_code(code).split("_")[0])


def script_of(code: str) -> str | None:
    """The script that a code names (``Hans`` in ``zh_Hans``), if any."""
    return None if not code else next((part for part in parse_code(code).split("_")[1:] if len(part) == 4), None)


def _shortest(language: str) -> str:
    return _ALIASES.get(language) or _THREE_LETTERS.get(language, language)
