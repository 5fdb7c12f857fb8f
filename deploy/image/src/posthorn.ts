#!/usr/bin/env -S node
// Entry point of the container image. `posthorn <process> [options]` runs a service or job.
// `posthorn version` prints the release.
import { release } from '@posthorn/config/release'
import { sourceStack } from '@posthorn/telemetry/source-stack'

/**
 * Modules of the services and jobs, by the command-line argument that selects a module. Importing a
 * module runs its process.
 */
const processes: Record<string, () => Promise<unknown>> = {
  'api-gateway': () => import('@posthorn/api-gateway/main'),
  'auth-bridge': () => import('@posthorn/auth-bridge/main'),
  'imap-proxy': () => import('@posthorn/imap-proxy/main'),
  sender: () => import('@posthorn/sender/main'),
  'smtp-proxy': () => import('@posthorn/smtp-proxy/main'),
  'sync-worker': () => import('@posthorn/sync-worker/main'),
  'webhook-dispatcher': () => import('@posthorn/webhook-dispatcher/main'),
  'broker-users': () => import('@posthorn/bus/users-main'),
  keys: () => import('@posthorn/auth-bridge/keys-main'),
  migrate: () => import('@posthorn/db/migrate-main'),
  reseal: () => import('@posthorn/auth-bridge/reseal-main'),
  'rotate-link-secret': () => import('@posthorn/api-gateway/rotate-link-secret-main'),
}

process.on('uncaughtException', (error: unknown) => {
  process.stderr.write(`${error instanceof Error ? sourceStack(error) : String(error)}\n`)
  process.exit(1)
})

const [name = ''] = process.argv.splice(2, 1)
const start = Object.hasOwn(processes, name) ? processes[name] : undefined
if (['version', '--version', '-v'].includes(name)) {
  process.stdout.write(`posthorn ${release.version} (${release.revision})\n`)
} else if (start) {
  process.title = `posthorn ${name}`
  process.env['OTEL_SERVICE_NAME'] ??= name
  // Installs OpenTelemetry tracing before the module of the service or job is imported, so that all
  // modules of the process are traced.
  await import('@posthorn/telemetry/register')
  await start()
} else {
  const list = Object.keys(processes).join('\n  ')
  process.stderr.write(`unknown process "${name}", use one of:\n  ${list}\n`)
  process.exitCode = 2
}
