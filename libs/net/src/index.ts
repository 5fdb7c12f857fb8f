export {
  assertAllowed,
  type EgressPolicy,
  egressPolicies,
  type Lookup,
  resolveAllowed,
  type ResolvedAddress,
  type ResolveOptions,
} from './egress.ts'
export {
  type CallRequest,
  type CallResult,
  createHttpCaller,
  type HttpCaller,
  type HttpCallerOptions,
} from './http.ts'
export {
  type Endpoint,
  type Intake,
  type OpenedSocket,
  openSocket,
  type OpenSocketOptions,
} from './open-socket.ts'
export { type HttpProxy, proxyOfSettings, type ProxySettings } from './follow-proxy.ts'
export {
  type AddressStrategy,
  isSameAddress,
  ownAddress,
  rankAddresses,
} from './local-addresses.ts'
export { type Outcome, outcomeOfStatus } from './outcome.ts'
export { parseProxy, type Proxy, publicProxy } from './proxy.ts'
export { redactUrl, splitCredentials, type SplitUrl } from './url.ts'
