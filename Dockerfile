# The server of a campaign. Data lie in the volume /data unless PALMARES_DATABASE names a PostgreSQL.
#
#   docker build -t palmares .
#   docker run -p 127.0.0.1:8000:8000 -v palmares:/data palmares
FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src src
# Compiled ahead, so that the first start does not.
RUN python -m venv /opt/palmares \
    && /opt/palmares/bin/python -m pip install --no-cache-dir --compile '.[server,report]'

FROM python:3.12-slim
RUN useradd --system --uid 10001 --home-dir /data --create-home palmares
COPY --from=build /opt/palmares /opt/palmares
ENV PATH=/opt/palmares/bin:$PATH \
    PALMARES_DATABASE=sqlite:////data/palmares.db \
    PYTHONDONTWRITEBYTECODE=1
USER palmares
WORKDIR /data
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health', timeout=4)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["palmares"]
# Inside a container it must listen on all addresses; publish the port to this machine alone and put a proxy before it.
CMD ["serve", "--host", "0.0.0.0", "--workers", "2"]
