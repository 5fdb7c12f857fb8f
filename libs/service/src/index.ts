export { type DoorOptions, openDoor } from './open-door.ts'
export type { FollowedListener, Listener, ListenerAddress } from './follow-listener.ts'
export { isLoopback, network, plainAddress } from './addresses.ts'
export { type DoorKey, type DoorRules, type DoorSession, DoorSessions } from './door-sessions.ts'
export { ByteBudget } from './byte-budget.ts'
export { type Certificate, readCertificate } from './certificate.ts'
export { Penalties } from './penalties.ts'
export { Places } from './places.ts'
export {
  parseProxyHeader,
  type ProxiedFrom,
  type ProxyHeader,
  readProxyHeader,
} from './proxy-protocol.ts'
export { type Origin, readOrigin } from './origin.ts'
export { matchServerPassword, type ServerPassword } from './server-password.ts'
export { trustedProxies } from './trusted-proxies.ts'
export { listen } from './listen.ts'
export { bothServers, type Ground, type GroundOptions, openGround } from './ground.ts'
export { run } from './run.ts'
export { type ServiceConfig, readServiceConfig } from './service-config.ts'
export { headerOpener, type HeaderOwner, type OpenHeader } from './open-header.ts'
export { loginOpener, type OpenLogin } from './open-login.ts'
export { openTokenLog } from './token-log.ts'
export { type WatchedQueue, watchQueue, type WatchQueueOptions } from './watch-queue.ts'
export { waitForSchema } from './wait-for-schema.ts'
