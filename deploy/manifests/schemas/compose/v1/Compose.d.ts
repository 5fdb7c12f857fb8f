// Fields of the Compose specification that the file deploy/compose.yaml is allowed to use.
// Additional fields must start with "x-".

export interface ICompose {
  name?: string
  services: { [key: string]: IService }
  volumes?: { [key: string]: unknown }
}

interface IService {
  build?: { context: string; dockerfile?: string; args?: { [key: string]: string } }
  cap_drop?: Array<string>
  command?: Array<string>
  cpus?: number | string
  depends_on?: { [key: string]: IDependency }
  environment?: { [key: string]: string }
  healthcheck?: IHealthcheck
  hostname?: string
  image: string
  mem_limit?: string
  ports?: Array<string>
  read_only?: boolean
  restart?: 'no' | 'always' | 'on-failure' | 'unless-stopped'
  security_opt?: Array<string>
  stop_grace_period?: string
  tmpfs?: Array<string>
  user?: string
  volumes?: Array<string>
}

interface IDependency {
  condition: 'service_started' | 'service_healthy' | 'service_completed_successfully'
}

interface IHealthcheck {
  interval?: string
  retries?: number
  start_period?: string
  test: Array<string>
  timeout?: string
}
