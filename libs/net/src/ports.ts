import { AppError } from '@posthorn/errors'
import { type EgressPolicy, withoutBrackets } from './egress.ts'

/** Ports that connections to mail servers may use, besides the usual mail ports. */
export interface MailPorts {
  /** Ports that mail connections may use at every host. */
  readonly allowed: readonly number[]
  /** Destinations of mail connections as `host:port`, allowed whatever their port. */
  readonly allowedTargets: readonly string[]
  /** Ports of Postgres, RabbitMQ and this service, refused at every host. */
  readonly own: readonly number[]
}

/** Default ports of mail connections: the usual mail ports only. */
export const defaultMailPorts: MailPorts = { allowed: [], allowedTargets: [], own: [] }

/**
 * Usual ports of mail servers: SMTP, its alternative of many hosting providers (26), IMAP and
 * submission.
 */
const mailPorts = new Set([25, 26, 143, 465, 587, 993])

/** Usual ports of HTTP and SOCKS proxies. */
const proxyPorts = new Set([80, 443, 1080, 3128, 8000, 8080, 8443, 8888])

/** Ports of well-known services above the system ports. */
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

/** Highest system port (RFC 6335 §6). */
const lastSystemPort = 1023

interface Endpoint {
  host: string
  port: number
}

/**
 * Checks that a mail server may be connected to. Well-known ports of other services and ports of
 * this deployment are refused, so that accounts cannot scan networks or reach servers of the
 * deployment.
 *
 * @throws AppError `forbidden` `EEGRESSBLOCKED`
 */
export function assertMailPort(target: Endpoint, ports: MailPorts): void {
  assertPort(target, ports, mailPorts)
}

/**
 * Checks that a proxy of mail connections may be connected to, like `assertMailPort`. Proxies may
 * have the usual ports of proxies.
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
 * Ports of services that are no web servers, refused as in browsers (Fetch Standard, port
 * blocking).
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
 * Checks that an HTTP call may use the port of its URL. Some services execute the lines of a
 * request body as commands of their own protocol. The policy `off` allows all ports.
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
