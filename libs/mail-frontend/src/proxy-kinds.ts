import type { ProxyTokenUse } from '@posthorn/access'
import {
  checkImapProxyServerPassword,
  checkSmtpServerPassword,
} from '@posthorn/contracts/commands/credentials'
import type { ProxyChangeType } from '@posthorn/db'
import { imapProxyVariables, type ProxyVariables, smtpProxyVariables } from './proxy-config.ts'

/**
 * Properties that differ between the mail proxies imap-proxy and smtp-proxy, such as default port,
 * token scope, and names of settings and environment variables.
 */
export interface ProxyKind {
  name: 'imap-proxy' | 'smtp-proxy'
  scope: ProxyTokenUse['scope']
  /** Prefix of the names of the settings for the listener of a mail proxy. */
  settings: 'imapProxyServer' | 'smtpServer'
  defaultPort: number
  /** Type under which `GET /v1/changes` reports the state of the mail proxy's listener. */
  stateChange: ProxyChangeType
  /**
   * Setting of the password that admits mail clients to every account. `checkPassword` is the
   * command that verifies the password.
   */
  passwordSetting: 'imapProxyServerPassword' | 'smtpServerPassword'
  checkPassword: typeof checkImapProxyServerPassword | typeof checkSmtpServerPassword
  /** Name of the command by which mail clients log in (IMAP or SMTP), for the token log. */
  loginCommand: 'LOGIN' | 'AUTH'
  /** Names of the environment variables that configure the mail proxy. */
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
