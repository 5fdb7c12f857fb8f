import { isMapping } from '../../io/read-document.ts'

/**
 * Mask of a secret setting in responses of the API. The mask as an input keeps the stored value.
 */
export const mask = '******'

/** Secret settings, which the API returns as true (set) or false. */
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

/** True for the value of a setting that stands for a stored secret, instead of the secret. */
export function isMasked(key: string, value: unknown): boolean {
  return isSecretSetting(key) && (typeof value === 'boolean' || value === mask)
}

/** Settings whose values can contain secrets, although the API returns them unchanged. */
const settingsWithSecrets = new Set(['scriptEnv'])

/**
 * True if the value of a setting has secrets, which must not be arguments: logins in URLs, header
 * values, variables of functions.
 */
export function hasSecret(key: string, value: unknown): boolean {
  if (value === null) return false
  if (isSecretSetting(key) || settingsWithSecrets.has(key)) return true
  if (key === 'webhooksCustomHeaders')
    return (
      Array.isArray(value) && value.some((header) => isMapping(header) && header['value'] !== mask)
    )
  return typeof value === 'string' && hasLogin(value)
}

/**
 * True for a URL with a login that is not masked. The API masks the password, or the user if there
 * is no password: some services take a token as the user.
 */
function hasLogin(text: string): boolean {
  const { username = '', password = '' } = URL.parse(text) ?? {}
  const secret = password || username
  return secret !== '' && decodeURL(secret) !== mask
}

/** Decoded part of a URL. A malformed part is returned unchanged. */
function decodeURL(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
