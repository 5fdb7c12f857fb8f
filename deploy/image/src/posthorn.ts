// Entry point of the image: `posthorn <process> [options]` runs one service or job.

/** Modules of the processes by argument. Each runs when it is imported. */
const processes: Record<string, () => Promise<unknown>> = {
  'api-gateway': () => import('../../../services/api-gateway/src/main.ts'),
  'auth-bridge': () => import('../../../services/auth-bridge/src/main.ts'),
  'imap-proxy': () => import('../../../services/imap-proxy/src/main.ts'),
  sender: () => import('../../../services/sender/src/main.ts'),
  'smtp-proxy': () => import('../../../services/smtp-proxy/src/main.ts'),
  'sync-worker': () => import('../../../services/sync-worker/src/main.ts'),
  'webhook-dispatcher': () => import('../../../services/webhook-dispatcher/src/main.ts'),
  'broker-users': () => import('../../../libs/bus/src/users-main.ts'),
  migrate: () => import('../../../libs/db/src/migrate-main.ts'),
  reseal: () => import('../../../services/auth-bridge/src/reseal-main.ts'),
  'rotate-link-secret': () => import('../../../services/api-gateway/src/rotate-link-secret-main.ts'),
}

const [name = ''] = process.argv.splice(2, 1)
const start = Object.hasOwn(processes, name) ? processes[name] : undefined
if (start) {
  process.title = `posthorn ${name}`
  process.env['OTEL_SERVICE_NAME'] ??= name
  // Instruments modules that are loaded later.
  await import('../../../libs/telemetry/src/register.ts')
  await start()
} else {
  const list = Object.keys(processes).join('\n  ')
  process.stderr.write(`unknown process "${name}", use one of:\n  ${list}\n`)
  process.exitCode = 2
}
