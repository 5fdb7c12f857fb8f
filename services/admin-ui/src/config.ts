import { type Env, url } from '@posthorn/config'
import { readServiceConfig, type ServiceConfig } from '@posthorn/service/service-config'

export interface Config extends ServiceConfig {
  /** Base URL of api-gateway, to which calls of signed-in people are forwarded. */
  readonly gatewayUrl: string
}

export function readConfig(env: Env): Config {
  return {
    ...readServiceConfig(env, { service: 'admin-ui', port: 3008 }),
    gatewayUrl: url(env, 'SVC_GATEWAY_URL', ['http:', 'https:']),
  }
}
