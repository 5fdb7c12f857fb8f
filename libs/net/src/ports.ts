import { AppError } from '@posthorn/errors'
import { type EgressPolicy, withoutBrackets } from './egress.ts'

/**
 * Ports that connections to mail servers may use in addition to the usual mail ports, and ports
 * that they may not use.
 */
export interface MailPorts {
  /** Additional ports that mail connections may use on every host. */
  readonly allowed: readonly number[]
  /**
   * Destinations (`host:port`) to which mail connections are always allowed, regardless of the
   * port.
   */
  readonly allowedTargets: readonly string[]
  /**
   * Ports of Postgres, RabbitMQ and Posthorn itself. Mail connections to these ports are rejected
   * on every host.
   */
  readonly own: readonly number[]
}

/** Default for the ports of mail connections: only the usual mail ports are allowed. */
export const defaultMailPorts: MailPorts = { allowed: [], allowedTargets: [], own: [] }

/**
 * Usual ports of mail servers: SMTP, the alternative SMTP port 26 of many hosting providers, IMAP
 * and submission.
 */
const mailPorts = new Set([25, 26, 143, 465, 587, 993])

/** Ports that HTTP and SOCKS proxies usually have. */
const proxyPorts = new Set([80, 443, 1080, 3128, 8000, 8080, 8443, 8888])

/**
 * Ports of well-known services that are higher than the system ports. Mail connections may use
 * these ports only if the operator allows them. Connections to proxies may also use `proxyPorts`.
 */
const wellKnownPorts = {
  proxies: [1080, 3128],
  databases: [1433, 1521, 3306, 5432, 5433, 5984, 9042, 27017, 27018, 27019],
  caches: [6379, 6380, 11211, 26379],
  brokers: [1883, 4222, 4369, 5671, 5672, 9092, 15671, 15672, 25672, 61613, 61616],
  clusters: [2375, 2376, 2379, 2380, 6443, 10250, 10255, 10257, 10259],
  secrets: [2181, 8200, 8300, 8301, 8500, 8600],
  posthorn: [3000, 3001, 3002, 3003, 3004, 3005, 3006, 3007, 3008],
  http: [5000, 7000, 7001, 8000, 8008, 8080, 8081, 8088, 8443, 8888, 9000],
  metrics: [5601, 8086, 9090, 9091, 9093, 9100, 9200, 9300],
  files: [2049, 3260, 9418],
  desktops: [3389, 5900, 5985, 5986],
} as const satisfies Readonly<Record<string, readonly number[]>>
const servicePorts = new Set<number>(Object.values(wellKnownPorts).flat())

/** Highest port number in the range of system ports (RFC 6335 §6). */
const lastSystemPort = 1023

interface Endpoint {
  host: string
  port: number
}

/**
 * Checks that connections to a mail server are allowed on its port. Well-known ports of other
 * services and ports of this deployment are rejected, so that accounts can neither scan networks
 * nor reach servers of the deployment.
 *
 * @throws AppError `forbidden` `EEGRESSBLOCKED`
 */
export function assertMailPort(target: Endpoint, ports: MailPorts): void {
  assertPort(target, ports, mailPorts)
}

/**
 * Checks that mail connections may use a proxy on its port, like `assertMailPort`. In addition, the
 * usual ports of proxies are allowed.
 *
 * @throws AppError `forbidden` `EEGRESSBLOCKED`
 */
export function assertProxyPort(target: Endpoint, ports: MailPorts): void {
  assertPort(target, ports, proxyPorts)
}

function assertPort({ host, port }: Endpoint, ports: MailPorts, usual: Set<number>): void {
  if (ports.allowedTargets.includes(`${withoutBrackets(host).toLowerCase()}:${port}`)) return
  const isOfOthers = port <= lastSystemPort || servicePorts.has(port)
  const isAllowed = !isOfOthers || usual.has(port) || ports.allowed.includes(port)
  if (isAllowed && !ports.own.includes(port)) return
  throw refused(port)
}

/**
 * Ports of services that are not web servers. HTTP calls to these ports are rejected, as in
 * browsers (Fetch Standard, port blocking).
 */
const refusedByBrowsers = [
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10080,
]

const refusedHttpPorts = new Set<number>([
  ...refusedByBrowsers,
  ...wellKnownPorts.databases,
  ...wellKnownPorts.caches,
  ...wellKnownPorts.brokers,
  ...wellKnownPorts.clusters,
])

/**
 * Checks that an HTTP call may use the port in its URL. On a forbidden port, a service might
 * execute lines of a request body as commands of its own protocol. With the policy `off`, all ports
 * are allowed.
 *
 * @throws AppError `forbidden` `EEGRESSBLOCKED`
 */
export function assertHttpPort(port: number, policy: EgressPolicy): void {
  if (policy === 'off' || !refusedHttpPorts.has(port)) return
  throw refused(port)
}

function refused(port: number): AppError {
  return new AppError('forbidden', `Connections to port ${port} are not allowed`, {
    code: 'EEGRESSBLOCKED',
  })
}
