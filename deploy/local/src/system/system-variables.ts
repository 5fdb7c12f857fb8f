import type { System } from './system.ts'

/** Environment variables with the addresses and secrets of a local system, for its clients. */
export function systemVariables(system: System): Record<string, string> {
  const { mail } = system
  return {
    POSTHORN_URL: system.url,
    POSTHORN_TOKEN: system.token,
    SVC_SERVICE_SECRET: system.serviceSecret,
    POSTHORN_IMAP_PROXY: `${system.host}:${system.imapProxyPort}`,
    POSTHORN_SMTP_PROXY: `${system.host}:${system.smtpProxyPort}`,
    ...(system.admin
      ? { POSTHORN_ADMIN_URL: system.admin.url, POSTHORN_ADMIN_SETUP_URL: system.admin.setUpUrl }
      : {}),
    DATABASE_URL: system.ownerUrl,
    AMQP_URL: system.amqpUrl,
    ...(mail ? { POSTHORN_DOVECOT: JSON.stringify(mail) } : {}),
    ...Object.fromEntries(
      Object.entries(system.services.urls).map(([name, url]) => [
        `POSTHORN_${name.replaceAll('-', '_').toUpperCase()}_HEALTH`,
        `${url}/health/ready`,
      ]),
    ),
  }
}
