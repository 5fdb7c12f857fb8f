export {
  type AddressedLogin,
  authenticateClient,
  type AuthenticationDeps,
  mayBeAccount,
} from './authenticate-client.ts'
export { type ClientEndpoint, resolveClientEndpoint } from './client-endpoint.ts'
export { type ClientSession, ClientSessions, type SessionAuth } from './client-sessions.ts'
export { drainClients, type DrainedClient } from './drain.ts'
export { LoginThrottle } from './login-throttle.ts'
export { type ProxyConfig, readProxyConfig } from './proxy-config.ts'
export { imapProxy, type ProxyKind, smtpProxy } from './proxy-kinds.ts'
export { listen, type Listener, type ListenerAddress } from './reloadable-listener.ts'
export {
  bearerError,
  type ClientLogin,
  decodeResponse,
  mechanisms,
  type SaslParser,
} from './sasl.ts'
export { type MailProtocol, type ProxyContext, startMailProxy } from './start-mail-proxy.ts'
