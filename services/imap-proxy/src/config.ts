import { type Env, integer, oneOf } from '@posthorn/config'
import { imapProxy, type ProxyConfig, readProxyConfig } from '@posthorn/mail-frontend'
import { type EgressPolicy, egressPolicies } from '@posthorn/net/egress'
import type { MailPorts } from '@posthorn/net/ports'
import { readMailPorts } from '@posthorn/service/mail-ports-config'

export interface Config extends ProxyConfig {
  /**
   * Maximum connections of mail clients that are not logged in. A further connection ends the
   * oldest connection.
   */
  readonly maxPending: number
  /** Egress policy: network addresses at which the IMAP proxy may connect to mail servers. */
  readonly mailEgressPolicy: EgressPolicy
  /** Port numbers at which the IMAP proxy may connect to mail servers. */
  readonly mailPorts: MailPorts
}

export function readConfig(env: Env): Config {
  const proxy = readProxyConfig(env, imapProxy, 3005)
  return {
    ...proxy,
    maxPending: integer(env, 'SVC_IMAP_PROXY_MAX_PENDING', {
      fallback: 2_000,
      min: 1,
      max: 100_000,
    }),
    mailEgressPolicy: oneOf(env, 'SVC_MAIL_EGRESS_POLICY', {
      values: egressPolicies,
      fallback: 'link-local',
    }),
    mailPorts: readMailPorts(env, proxy),
  }
}
