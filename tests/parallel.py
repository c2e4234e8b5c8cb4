"""Parallel texts written for the tests: one short report in three languages, and test sets made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from palmares.texts import CheckReport, Finding, TestSet, check
from palmares.texts.languages import LanguagePair
from palmares.texts.testset import Segment, make

GERMAN = (
    "Der Stadtrat von Freiburg hat am Montag über den neuen Haushalt beraten.",
    "Die Sitzung dauerte fast fünf Stunden und endete erst kurz vor Mitternacht.",
    "Bürgermeisterin Hanna Vogt warnte vor weiteren Schulden in den nächsten Jahren.",
    "Für Schulen und Kindergärten sind 48 Millionen Euro vorgesehen.",
    "Das sind acht Prozent mehr als im vergangenen Jahr.",
    "Die Opposition nannte die Pläne unrealistisch und zu teuer.",
    "Ein Sprecher der Feuerwehr bat dringend um zwei neue Löschfahrzeuge.",
    "Die alten Wagen stammen aus dem Jahr 1994 und fallen ständig aus.",
    "Auch das Schwimmbad am Fluss soll endlich wieder geöffnet werden.",
    "Es war nach dem Hochwasser vor drei Jahren geschlossen worden.",
    "Viele Bürger hatten dafür Unterschriften gesammelt.",
    "Insgesamt kamen mehr als 12500 Namen zusammen.",
    "Der Bau einer zweiten Brücke wurde dagegen verschoben.",
    "Gutachter hatten Risse im Fundament des alten Pfeilers gefunden.",
    "Die Reparatur könnte nach ersten Schätzungen zwei Jahre dauern.",
    "Händler in der Altstadt fürchten deshalb um ihre Kunden.",
    "Sie verlangen kostenlose Parkplätze am Rand des Zentrums.",
    "Der Verkehrsplaner Jonas Keller hält davon wenig.",
    "Er möchte lieber mehr Busse und sichere Wege für Fahrräder.",
    "Am Donnerstag werden die Mitglieder des Rates endgültig abstimmen.",
    "Die Gewerkschaft hat für diesen Tag einen Streik angekündigt.",
    "Müllwagen und Straßenbahnen sollen bis zum Abend stillstehen.",
    "Das Krankenhaus ist von dem Ausstand nicht betroffen.",
    "Ärztin Maria Lopez versicherte, dass alle Operationen stattfinden.",
    "Das Museum zeigt unterdessen Bilder aus der Sammlung einer Bankiersfamilie.",
    "Der Eintritt ist am ersten Sonntag jedes Monats frei.",
    "Im Theater beginnt die Saison mit einem Stück von Shakespeare.",
    "Karten gibt es ab sofort an der Kasse und im Internet.",
    "Das Wetter bleibt nach Angaben der Meteorologen kalt und trocken.",
    "In der Nacht sinken die Temperaturen auf minus sieben Grad.",
)

ENGLISH = (
    "The city council of Freiburg discussed the new budget on Monday.",
    "The meeting lasted almost five hours and only ended shortly before midnight.",
    "Mayor Hanna Vogt warned against further debts in the coming years.",
    "A sum of 48 million euros is planned for schools and nurseries.",
    "That is eight per cent more than in the past year.",
    "The opposition called the plans unrealistic and too expensive.",
    "A spokesman for the fire brigade urgently asked for two new engines.",
    "The old vehicles date from 1994 and break down all the time.",
    "The swimming pool by the river is also to be opened again at last.",
    "It had been closed after the flood three years ago.",
    "Many citizens had collected signatures for this.",
    "In total more than 12500 names came together.",
    "The construction of a second bridge was postponed, however.",
    "Experts had found cracks in the foundations of the old pillar.",
    "According to first estimates the repair could take two years.",
    "Traders in the old town therefore fear for their customers.",
    "They demand free parking spaces at the edge of the centre.",
    "The traffic planner Jonas Keller does not think much of that.",
    "He would rather have more buses and safe paths for bicycles.",
    "On Thursday the members of the council will take the final vote.",
    "The trade union has announced a strike for that day.",
    "Dustcarts and trams are to stand still until the evening.",
    "The hospital is not affected by the walkout.",
    "Doctor Maria Lopez gave an assurance that all operations will take place.",
    "Meanwhile the museum is showing pictures from the collection of a family of bankers.",
    "Admission is free on the first Sunday of every month.",
    "At the theatre the season begins with a play by Shakespeare.",
    "Tickets are available now at the box office and on the internet.",
    "The weather will stay cold and dry, meteorologists say.",
    "During the night temperatures will drop to minus seven degrees.",
)

#: Another translation, as a second system might give it.
ENGLISH_TOO = (
    "On Monday the Freiburg town council debated the new budget.",
    "The session took nearly five hours and did not end until shortly before midnight.",
    "Mayoress Hanna Vogt warned of more debts in the next few years.",
    "48 million euros have been set aside for schools and kindergartens.",
    "This is eight per cent more than last year.",
    "The plans are unrealistic and too expensive, said the opposition.",
    "A fire brigade spokesman made an urgent request for two new fire engines.",
    "The old engines were built in 1994 and constantly break down.",
    "The swimming baths at the river should also open again, finally.",
    "They were closed after the flood of three years ago.",
    "Many citizens had gathered signatures in favour of it.",
    "Altogether there were more than 12500 names.",
    "Building a second bridge, on the other hand, was put off.",
    "Surveyors had discovered cracks in the old pillar's foundation.",
    "The repairs may take two years by first estimates.",
    "Shopkeepers in the old town are therefore afraid of losing customers.",
    "They call for free parking at the edge of the town centre.",
    "Traffic planner Jonas Keller is not in favour of it.",
    "He prefers more buses and safe routes for bicycles.",
    "The council members will have their final vote on Thursday.",
    "A strike has been announced by the union for this day.",
    "Refuse lorries and trams are meant to stop until evening.",
    "The strike does not affect the hospital.",
    "All operations will take place, physician Maria Lopez assured.",
    "In the meantime the museum shows paintings from a banking family's collection.",
    "Entrance is free every month on the first Sunday.",
    "The theatre starts its season with a Shakespeare play.",
    "You can buy tickets at the till and on the internet from now on.",
    "According to meteorologists the weather remains cold and dry.",
    "Temperatures fall to minus seven degrees in the night.",
)

FRENCH = (
    "Le conseil municipal de Fribourg a débattu lundi du nouveau budget.",
    "La séance a duré près de cinq heures et ne s'est terminée que peu avant minuit.",
    "La maire Hanna Vogt a mis en garde contre de nouvelles dettes dans les années à venir.",
    "Une somme de 48 millions d'euros est prévue pour les écoles et les crèches.",
    "C'est huit pour cent de plus que l'année dernière.",
    "L'opposition a jugé ces projets irréalistes et trop chers.",
)


def texts_of(
    outputs: Mapping[str, Sequence[str]],
    *,
    source: Sequence[str] = GERMAN,
    reference: Sequence[str | None] | None = None,
    langs: str = "de-en",
    lines: bool = True,
) -> TestSet:
    """A test set as the reader of plain files makes it."""
    references = reference if reference is not None else [None] * len(source)
    pairs = enumerate(zip(source, references, strict=True), 1)
    segments = [Segment(str(number), None, text, other) for number, (text, other) in pairs]
    numbers = range(1, len(source) + 1) if lines else None
    return make(LanguagePair.parse(langs), segments, outputs, lines=numbers)


def clean(**changes: Sequence[str]) -> TestSet:
    """Two good systems, or others in their place."""
    return texts_of({"A": ENGLISH, "B": ENGLISH_TOO} | changes)


def found(texts: TestSet, *checks: str) -> list[Finding]:
    """What the named checks (or all) find."""
    return list(report(texts, *checks).findings)


def report(texts: TestSet, *checks: str) -> CheckReport:
    return check(texts, only=checks or None)


def with_line(texts: Sequence[str], number: int, text: str) -> tuple[str, ...]:
    """The texts with another one on a line, counted from 1."""
    return (*texts[: number - 1], text, *texts[number:])
