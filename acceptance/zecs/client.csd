* The sample client of zECS, ECS001: its comments say how a site defines these.
  DEFINE TRANSACTION(ECSC) GROUP(CLIENT) PROGRAM(ECS001)
  DEFINE URIMAP(ECS001) GROUP(CLIENT) USAGE(CLIENT) SCHEME(HTTP)
         HOST(@HOST@) PORT(@PORT@) PATH(/resources/ecs/devops/sessionData/)
  ADD GROUP(CLIENT) LIST(DEFAULT)
