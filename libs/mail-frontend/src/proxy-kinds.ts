import type { ProxyTokenUse } from '@posthorn/access'
import {
  checkImapProxyServerPassword,
  checkSmtpServerPassword,
} from '@posthorn/contracts/commands/credentials'
import type { ProxyChangeType } from '@posthorn/db'

/** Names by which the two mail proxies differ. */
export interface ProxyKind {
  name: 'imap-proxy' | 'smtp-proxy'
  scope: ProxyTokenUse['scope']
  /** Start of the names of the listener's settings. */
  settings: 'imapProxyServer' | 'smtpServer'
  defaultPort: number
  /** Kind of the changes in `GET /v1/changes`. */
  stateChange: ProxyChangeType
  /** Password that logs in to every account, and the command that verifies the password. */
  passwordSetting: 'imapProxyServerPassword' | 'smtpServerPassword'
  checkPassword: typeof checkImapProxyServerPassword | typeof checkSmtpServerPassword
  /** Command of a login, for the token log. */
  loginCommand: 'LOGIN' | 'AUTH'
  /** Environment variables. */
  variables: Record<ProxyVariable, string>
}

export type ProxyVariable =
  | 'drain'
  | 'tlsCert'
  | 'tlsKey'
  | 'tlsPort'
  | 'maxPendingPerAddress'
  | 'maxSessionsPerAccount'
  | 'trustedProxies'

export const imapProxy: ProxyKind = {
  name: 'imap-proxy',
  scope: 'imap-proxy',
  settings: 'imapProxyServer',
  defaultPort: 2993,
  stateChange: 'imapProxyServerState',
  passwordSetting: 'imapProxyServerPassword',
  checkPassword: checkImapProxyServerPassword,
  loginCommand: 'LOGIN',
  variables: {
    drain: 'SVC_IMAP_PROXY_DRAIN',
    tlsCert: 'SVC_IMAP_PROXY_TLS_CERT',
    tlsKey: 'SVC_IMAP_PROXY_TLS_KEY',
    tlsPort: 'SVC_IMAP_PROXY_TLS_PORT',
    maxPendingPerAddress: 'SVC_IMAP_PROXY_MAX_PENDING_PER_ADDRESS',
    maxSessionsPerAccount: 'SVC_IMAP_PROXY_MAX_SESSIONS_PER_ACCOUNT',
    trustedProxies: 'SVC_IMAP_PROXY_TRUSTED_PROXIES',
  },
}

export const smtpProxy: ProxyKind = {
  name: 'smtp-proxy',
  scope: 'smtp',
  settings: 'smtpServer',
  defaultPort: 2525,
  stateChange: 'smtpServerState',
  passwordSetting: 'smtpServerPassword',
  checkPassword: checkSmtpServerPassword,
  loginCommand: 'AUTH',
  variables: {
    drain: 'SVC_SMTP_PROXY_DRAIN',
    tlsCert: 'SVC_SMTP_PROXY_TLS_CERT',
    tlsKey: 'SVC_SMTP_PROXY_TLS_KEY',
    tlsPort: 'SVC_SMTP_PROXY_TLS_PORT',
    maxPendingPerAddress: 'SVC_SMTP_PROXY_MAX_PENDING_PER_ADDRESS',
    maxSessionsPerAccount: 'SVC_SMTP_PROXY_MAX_SESSIONS_PER_ACCOUNT',
    trustedProxies: 'SVC_SMTP_PROXY_TRUSTED_PROXIES',
  },
}
