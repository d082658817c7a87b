# The program, for machines with Docker or Podman, and its lab for a class:
#
#   docker build --tag trainyard .
#   docker run --rm trainyard compare
#   docker run --rm --publish 8080:8080 trainyard lab --listen-to-network 0.0.0.0 --port 8080
#
# The notebooks for a class, in Jupyter with the Python module; the second line prints an address with a token. What is
# written is kept as long as the container is (docker start --attach NAME goes on with it):
#
#   docker build --target class --tag trainyard-class .
#   docker run --name NAME --publish 127.0.0.1:8888:8888 trainyard-class
#
# Untested: where Trainyard is made there is no Docker. The commands in it are those of README, docs/lab.md and
# docs/python.md.
FROM debian:12 AS build
COPY . /trainyard
WORKDIR /trainyard
RUN ./scripts/install_dependencies.sh && ./scripts/build.sh release trainyard && cd build/release && cpack

FROM build AS wheel
RUN ./scripts/wheel.sh && ./scripts/student_notebooks.py /students

FROM debian:12 AS class
COPY --from=wheel /trainyard/build/wheels/ /tmp/wheels/
RUN apt-get update && apt-get install --yes --no-install-recommends jupyter-notebook python3-ipykernel python3-numpy \
    python3-pandas python3-matplotlib python3-scipy python3-sklearn python3-pip && \
    pip install --break-system-packages --no-deps /tmp/wheels/*.whl && rm -rf /tmp/wheels /var/lib/apt/lists/*
RUN useradd --create-home student
COPY --from=wheel --chown=student /students /home/student/notebooks
USER student
WORKDIR /home/student/notebooks
CMD ["jupyter-notebook", "--ip=0.0.0.0", "--port=8888", "--no-browser"]

FROM debian:12
COPY --from=build /trainyard/build/release/trainyard_*.deb /tmp/
RUN apt-get update && apt-get install --yes --no-install-recommends /tmp/trainyard_*.deb && \
    rm -rf /tmp/trainyard_*.deb /var/lib/apt/lists/*
RUN useradd --create-home student
USER student
WORKDIR /home/student
ENTRYPOINT ["trainyard"]
