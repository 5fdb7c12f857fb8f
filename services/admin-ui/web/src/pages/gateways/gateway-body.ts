import type {
  GatewayBody,
  GatewayChanges,
  GatewayRecord,
  TestedServer,
} from '../../data/lists/gateways.ts'

/** Texts of the fields in the form for an SMTP gateway, by field name. */
export type GatewayValues = Readonly<Record<string, string>>

/** Values with which the form for a new SMTP gateway starts. */
export const newGatewayValues: GatewayValues = { port: '587' }

/** Values of the form for a stored SMTP gateway. The password is empty. */
export function valuesOfGateway({ name, host, port, secure, user }: GatewayRecord): GatewayValues {
  return { name, host, port: String(port), secure: secure ? 'true' : '', user: user ?? '' }
}

function serverOf({ host = '', port, secure }: GatewayValues) {
  return { host, port: Number(port), secure: secure === 'true' }
}

/** Request that registers the SMTP gateway of the form. Without a user name, there is no login. */
export function bodyOfGateway(values: GatewayValues): GatewayBody {
  const { gateway, name = '', user, pass } = values
  return {
    gateway: gateway || null,
    name,
    ...serverOf(values),
    user: user || null,
    pass: (user && pass) || null,
  }
}

/**
 * Request that changes an SMTP gateway to the values of its form. An empty password keeps the
 * stored password. An empty user name removes the login with its password.
 */
export function changesOfGateway(values: GatewayValues): GatewayChanges {
  const { name = '', user, pass } = values
  const login = user ? { user, ...(pass && { pass }) } : { user: null, pass: null }
  return { name, ...serverOf(values), ...login }
}

/** SMTP server in the form for a gateway, whose login is tested without storing anything. */
export function testedServer(values: GatewayValues): TestedServer {
  const { user, pass } = values
  return {
    ...serverOf(values),
    auth: user ? { user, pass: pass ?? '' } : false,
    // Gateways send without TLS if the SMTP server does not offer STARTTLS.
    tls: { requireStartTls: false },
  }
}
