"""What users read, in the languages that the extension speaks. Everything else goes to the log in English."""

from __future__ import annotations

from typing import Any

DEFAULT_LANGUAGE = "en"

TEXTS: dict[str, dict[str, str]] = {
    "active": {
        "en": "Tensors are summarized (Python {python}, torch {torch}).",
        "es": "Los tensores se resumen (Python {python}, torch {torch}).",
        "pt-br": "Os tensores são resumidos (Python {python}, torch {torch}).",
    },
    "active_no_torch": {
        "en": "Ready; the program has not imported torch yet.",
        "es": "Listo; el programa aún no ha importado torch.",
        "pt-br": "Pronto; o programa ainda não importou o torch.",
    },
    "plain_no_debug": {
        "en": "The program runs without debugging.",
        "es": "El programa se ejecuta sin depuración.",
        "pt-br": "O programa roda sem depuração.",
    },
    "plain_old_python": {
        "en": "The program runs on Python {python}; TensorPeek needs 3.9 or newer. Debugging works as usual.",
        "es": "El programa usa Python {python}; TensorPeek necesita 3.9 o posterior. Se depura como siempre.",
        "pt-br": "O programa usa Python {python}; o TensorPeek precisa de 3.9 ou mais novo. Depura-se igual.",
    },
    "plain_old_torch": {
        "en": "The program uses torch {torch}; TensorPeek needs 2.2 or newer. Debugging works as usual.",
        "es": "El programa usa torch {torch}; TensorPeek necesita 2.2 o posterior. Se depura como siempre.",
        "pt-br": "O programa usa torch {torch}; o TensorPeek precisa de 2.2 ou mais novo. Depura-se igual.",
    },
    "plain_probe": {
        "en": "TensorPeek could not start in the program, so values are shown as by debugpy: {problem}",
        "es": "TensorPeek no pudo iniciarse en el programa; los valores se ven como en debugpy: {problem}",
        "pt-br": "O TensorPeek não pôde iniciar no programa; os valores aparecem como no debugpy: {problem}",
    },
    "plain_adapter": {
        "en": "TensorPeek failed and shows values as debugpy does from now on; the log says why.",
        "es": "TensorPeek falló y desde ahora muestra los valores como debugpy; el registro dice por qué.",
        "pt-br": "O TensorPeek falhou e agora mostra os valores como o debugpy; o log diz o motivo.",
    },
    "no_program": {
        "en": "The program to debug does not exist: {path}",
        "es": "El programa que se va a depurar no existe: {path}",
        "pt-br": "O programa a depurar não existe: {path}",
    },
    "no_folder": {
        "en": "The working folder does not exist: {path}",
        "es": "La carpeta de trabajo no existe: {path}",
        "pt-br": "A pasta de trabalho não existe: {path}",
    },
    "no_python": {
        "en": "There is no Python interpreter at: {path}",
        "es": "No hay un intérprete de Python en: {path}",
        "pt-br": "Não há um interpretador Python em: {path}",
    },
    "not_python": {
        "en": "This is not a working Python interpreter: {path}",
        "es": "Esto no es un intérprete de Python que funcione: {path}",
        "pt-br": "Isto não é um interpretador Python que funcione: {path}",
    },
    "python_too_old": {
        "en": "{path} is Python {python}, which is too old to be debugged; 3.8 is the oldest.",
        "es": "{path} es Python {python}, demasiado antiguo para depurarlo; el mínimo es 3.8.",
        "pt-br": "{path} é Python {python}, antigo demais para depurar; o mínimo é 3.8.",
    },
    "no_debugpy": {
        "en": "debugpy 1.8 or newer was not found.",
        "es": "No se encontró debugpy 1.8 o posterior.",
        "pt-br": "O debugpy 1.8 ou mais novo não foi encontrado.",
    },
    "no_debugpy_at": {
        "en": "debugpy 1.8 or newer was not found in: {path}",
        "es": "No se encontró debugpy 1.8 o posterior en: {path}",
        "pt-br": "O debugpy 1.8 ou mais novo não foi encontrado em: {path}",
    },
    "no_connection": {
        "en": "Cannot connect to {host}:{port}: {problem}",
        "es": "No se puede conectar con {host}:{port}: {problem}",
        "pt-br": "Não foi possível conectar a {host}:{port}: {problem}",
    },
    "attach_to_what": {
        "en": "Say to what to attach: `connect` with a host and a port, `listen`, or `processId`.",
        "es": "Indica a qué asociarse: `connect` con host y puerto, `listen` o `processId`.",
        "pt-br": "Diga a que se anexar: `connect` com host e porta, `listen` ou `processId`.",
    },
    "no_access": {
        "en": "This debug adapter serves only the editor that started it.",
        "es": "Este adaptador de depuración solo atiende al editor que lo inició.",
        "pt-br": "Este adaptador de depuração atende apenas o editor que o iniciou.",
    },
    "ended": {
        "en": "The debug session has ended.",
        "es": "La sesión de depuración ha terminado.",
        "pt-br": "A sessão de depuração terminou.",
    },
    "unsupported": {
        "en": "The request '{command}' is not supported.",
        "es": "La petición '{command}' no está disponible.",
        "pt-br": "A requisição '{command}' não está disponível.",
    },
    "no_probe": {
        "en": "TensorPeek is not active in this session.",
        "es": "TensorPeek no está activo en esta sesión.",
        "pt-br": "O TensorPeek não está ativo nesta sessão.",
    },
    "not_paused": {
        "en": "The program is not paused there.",
        "es": "El programa no está en pausa ahí.",
        "pt-br": "O programa não está pausado ali.",
    },
    "refining": {
        "en": "Exact statistics of {name}",
        "es": "Estadísticas exactas de {name}",
        "pt-br": "Estatísticas exatas de {name}",
    },
    "garbled": {
        "en": "A message could not be read: {problem}",
        "es": "No se pudo leer un mensaje: {problem}",
        "pt-br": "Não foi possível ler uma mensagem: {problem}",
    },
}


class Texts:
    """The texts in one language: `texts("no_program", path=…)`."""

    def __init__(self, locale: str = DEFAULT_LANGUAGE) -> None:
        lowered = locale.lower().replace("_", "-")
        language = "pt-br" if lowered.startswith("pt") else lowered.partition("-")[0]
        self._language = language if language in TEXTS["ended"] else DEFAULT_LANGUAGE

    def __call__(self, key: str, **values: Any) -> str:
        return TEXTS[key][self._language].format(**values)
