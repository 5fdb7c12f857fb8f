import type { Env } from '@posthorn/config'
import { readAdminOwnerConfig, readConfig as readAdminUi } from '@posthorn/admin-ui/config'
import { readConfig as readApiGateway } from '@posthorn/api-gateway/config'
import { readConfig as readAuthBridge } from '@posthorn/auth-bridge/config'
import { readKeysConfig, readResealConfig } from '@posthorn/auth-bridge/secrets-config'
import { readUsersConfig } from '@posthorn/bus/users-config'
import { readMigrateConfig } from '@posthorn/db/migrate-config'
import { readConfig as readImapProxy } from '@posthorn/imap-proxy/config'
import { readConfig as readSender } from '@posthorn/sender/config'
import { readConfig as readSmtpProxy } from '@posthorn/smtp-proxy/config'
import { readConfig as readSyncWorker } from '@posthorn/sync-worker/config'
import { readConfig as readWebhookDispatcher } from '@posthorn/webhook-dispatcher/config'
import { describeProcess, type Processes } from './environment.ts'

/** Values of variables without which a process does not read other variables. */
const switches: Readonly<Record<string, Env>> = {
  'admin-ui': { SVC_ADMIN_OIDC_ISSUER: 'https://id.example.com' },
}

/**
 * Example values of required environment variables whose real values are in Secrets. The URLs use
 * TLS.
 */
export const examples: Env = {
  AMQP_ADMIN_URL: 'https://admin:secret@rabbitmq:15671/posthorn',
  AMQP_URL: 'amqps://service:secret@rabbitmq:5671/posthorn',
  DATABASE_OWNER_URL: 'postgres://owner:secret@postgres:5432/posthorn?sslmode=verify-full',
  DATABASE_URL: 'postgres://service:secret@postgres:5432/posthorn?sslmode=verify-full',
  SVC_ADMIN_OIDC_CLIENT_ID: 'posthorn',
  SVC_ADMIN_OIDC_CLIENT_SECRET: 'secret',
  SVC_AMQP_PASSWORDS: '{}',
  SVC_DATABASE_ROLE_PASSWORDS: '{}',
  SVC_GATEWAY_URL: 'http://api-gateway:3000',
  SVC_PREPARED_TOKEN: 'x'.repeat(32),
  SVC_SECRET: 'x'.repeat(32),
  SVC_SECRET_PUBLIC_KEY: 'B52FITdPLIr-vvJ_qQpvD_klxvtdlB5WKSxyvQVLUmk',
}

/**
 * Processes of the container image, each with the function that reads its environment variables.
 */
const readers: Readonly<Record<string, (env: Env) => unknown>> = {
  'admin-ui': readAdminUi,
  'api-gateway': readApiGateway,
  'auth-bridge': readAuthBridge,
  'imap-proxy': readImapProxy,
  sender: readSender,
  'smtp-proxy': readSmtpProxy,
  'sync-worker': readSyncWorker,
  'webhook-dispatcher': readWebhookDispatcher,
  'admin-owner': readAdminOwnerConfig,
  'broker-users': readUsersConfig,
  keys: readKeysConfig,
  migrate: readMigrateConfig,
  reseal: readResealConfig,
  'rotate-link-secret': readApiGateway,
}

/** Finds out which environment variables each process of the container image reads. */
export function readProcesses(): Processes {
  return new Map(
    Object.entries(readers).map(([name, read]) => [
      name,
      describeProcess(read, examples, switches[name]),
    ]),
  )
}
