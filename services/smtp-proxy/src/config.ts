import { boolean, byteSize, duration, type Env, integer } from '@posthorn/config'
import { type ProxyConfig, readProxyConfig, smtpProxy } from '@posthorn/mail-frontend'

export interface Config extends ProxyConfig {
  readonly maxMessageBytes: number
  /** Maximum bytes of all messages in transfer from SMTP clients. */
  readonly maxBufferedBytes: number
  /** Part of `maxBufferedBytes` that SMTP messages in transfer of one account may take. */
  readonly maxBufferedBytesPerAccount: number
  readonly maxConnections: number
  /**
   * Period within which an SMTP client must send 32 KiB of its message, or the end of the message.
   */
  readonly stallMs: number
  /** True if SMTP clients may log in without TLS although there is a certificate. */
  readonly insecureAuth: boolean
}

const mebibyte = 1024 ** 2

export function readConfig(env: Env): Config {
  const maxMessageBytes = byteSize(env, 'SVC_MAX_SMTP_MESSAGE_SIZE', {
    fallback: 25 * mebibyte,
    min: 1024,
    max: 500 * mebibyte,
  })
  const maxBufferedBytes = byteSize(env, 'SVC_SMTP_PROXY_MAX_BUFFERED', {
    fallback: 4 * maxMessageBytes,
    min: maxMessageBytes,
    max: 16 * 1024 * mebibyte,
  })
  return {
    ...readProxyConfig(env, smtpProxy, 3006),
    maxMessageBytes,
    maxBufferedBytes,
    maxBufferedBytesPerAccount: byteSize(env, 'SVC_SMTP_PROXY_MAX_BUFFERED_PER_ACCOUNT', {
      fallback: Math.max(maxMessageBytes, Math.floor(maxBufferedBytes / 2)),
      min: maxMessageBytes,
      max: 16 * 1024 * mebibyte,
    }),
    stallMs: duration(env, 'SVC_SMTP_PROXY_STALL_TIME', {
      fallback: 60_000,
      min: 5_000,
      max: 1_800_000,
    }),
    maxConnections: integer(env, 'SVC_SMTP_PROXY_MAX_CONNECTIONS', {
      fallback: 500,
      min: 1,
      max: 100_000,
    }),
    insecureAuth: boolean(env, 'SVC_SMTP_PROXY_INSECURE_AUTH', false),
  }
}
