# vault-graphrag as a service: the page, the API and MCP on port 8321.
#   docker build -t vault-graphrag .
#   docker run --rm -p 127.0.0.1:8321:8321 -v ~/notes:/vault:ro -v graphrag-index:/index vault-graphrag
# docs/deploy.md says more; compose.yaml adds Ollama.

FROM python:3.11-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY graphrag graphrag
COPY vault_sync vault_sync
COPY ontology ontology
RUN python -m venv /opt/graphrag && /opt/graphrag/bin/pip install --no-cache-dir . && /opt/graphrag/bin/pip uninstall -y pip setuptools

FROM python:3.11-slim
RUN apt-get update \
 && apt-get install --no-install-recommends -y git \
 && rm -rf /var/lib/apt/lists/* \
 # The vault belongs to whoever mounted it; Git reads no repository of another user unless it is told to.
 && git config --system --add safe.directory /vault
# A user of this number must be able to read the vault: --build-arg UID=$(id -u)
ARG UID=1000
RUN useradd --uid "$UID" --create-home graphrag && mkdir /vault /index && chown graphrag /index
COPY --from=build /opt/graphrag /opt/graphrag
ENV PATH="/opt/graphrag/bin:$PATH" GRAPHRAG_VAULT=/vault GRAPHRAG_INDEX_DIR=/index PYTHONUNBUFFERED=1
USER graphrag
VOLUME /index
EXPOSE 8321
# Healthy once something is indexed.
HEALTHCHECK --interval=30s --timeout=5s --start-period=2m \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8321/health', timeout=4)"]
ENTRYPOINT ["graphrag"]
# Inside the container every address is open; which are reachable from outside is said by what is published.
CMD ["serve", "--host", "0.0.0.0", "--insecure-http", "--watch"]
