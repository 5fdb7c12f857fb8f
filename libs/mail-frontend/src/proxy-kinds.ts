import type { ProxyTokenUse } from '@posthorn/access'
import {
  checkImapProxyServerPassword,
  checkSmtpServerPassword,
} from '@posthorn/contracts/commands/credentials'
import type { ProxyChangeType } from '@posthorn/db'
import { imapProxyVariables, type ProxyVariables, smtpProxyVariables } from './proxy-config.ts'

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
  variables: ProxyVariables
}

export const imapProxy: ProxyKind = {
  name: 'imap-proxy',
  scope: 'imap-proxy',
  settings: 'imapProxyServer',
  defaultPort: 2993,
  stateChange: 'imapProxyServerState',
  passwordSetting: 'imapProxyServerPassword',
  checkPassword: checkImapProxyServerPassword,
  loginCommand: 'LOGIN',
  variables: imapProxyVariables,
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
  variables: smtpProxyVariables,
}
