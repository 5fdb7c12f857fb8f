import { isMapping } from '../../io/read-document.ts'

/** Mask of a secret in responses of the API. As an input, it keeps the stored value. */
export const mask = '******'

/** Settings that the API returns as true (set) or false. */
const secretSettings = new Set([
  'serviceSecret',
  'webhookSecrets',
  'smtpServerPassword',
  'imapProxyServerPassword',
  'openAiAPIKey',
])

export function isSecretSetting(key: string): boolean {
  return secretSettings.has(key)
}

/** True for a value that stands for a stored secret, instead of the secret. */
export function isMasked(key: string, value: unknown): boolean {
  return isSecretSetting(key) && (typeof value === 'boolean' || value === mask)
}

/** True if a value has secrets, which must not be arguments: passwords in URLs, header values. */
export function hasSecret(key: string, value: unknown): boolean {
  if (value === null) return false
  if (isSecretSetting(key)) return true
  if (key === 'webhooksCustomHeaders')
    return (
      Array.isArray(value) && value.some((header) => isMapping(header) && header['value'] !== mask)
    )
  const password = typeof value === 'string' ? URL.parse(value)?.password : undefined
  return Boolean(password) && decodeURIComponent(password ?? '') !== mask
}
