export { isLoopback, networkOf, plainAddress } from './addresses.ts'
export {
  type EgressPolicy,
  egressPolicies,
  metadataAddresses,
  resolveAllowed,
  type ResolvedAddress,
} from './egress.ts'
export type { CallRequest } from './call.ts'
export { type CallResult, createHttpCaller, type HttpCaller } from './http-caller.ts'
export { type SocketReader, type ConnectedSocket, connectSocket } from './connect-socket.ts'
export { type HttpProxy, proxyFromSettings } from './proxy-agents.ts'
export { isSameAddress, findLocalAddress, rankAddresses } from './local-addresses.ts'
export { assertMailPort, assertProxyPort, defaultMailPorts, type MailPorts } from './ports.ts'
export type { HttpOutcome } from './outcome.ts'
export { parseProxy, redactProxyUrl } from './proxy.ts'
export { redactUrl, splitCredentials } from './url.ts'
