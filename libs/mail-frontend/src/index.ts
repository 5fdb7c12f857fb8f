export {
  type ClientEndpoint,
  readTrustedProxies,
  resolveClientEndpoint,
} from './client-endpoint.ts'
export { type ClientSession, ClientSessions, type SessionAuth } from './client-sessions.ts'
export { type DrainConfig, drainClients, type DrainedClient, readDrain } from './drain.ts'
export { LoginThrottle } from './login-throttle.ts'
export {
  assertListening,
  listen,
  type Listener,
  type ListenerAddress,
  type ReloadableListener,
} from './reloadable-listener.ts'
export {
  bearerError,
  type ClientLogin,
  decodeResponse,
  mechanisms,
  type SaslParser,
} from './sasl.ts'
export { matchServerPassword, type ServerPassword } from './server-password.ts'
export { startMailListener } from './start-mail-listener.ts'
export { readTlsPort, startWithTlsPort, type TlsPortConfig } from './tls-port.ts'
