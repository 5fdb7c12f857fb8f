#!/usr/bin/env -S node
// Program of Posthorn. `posthorn <process> [options]` runs a service or job, all other arguments
// are commands of the command line: `posthorn --help`.
import { setFlagsFromString } from 'node:v8'
import { release } from '@posthorn/config/release'
import { sourceStack } from '@posthorn/telemetry/source-stack'
import { jobHelp } from './job-help.ts'

/**
 * Modules of the services and jobs, by the command-line argument that selects a module. Importing a
 * module runs its process.
 */
const processes: Record<string, () => Promise<unknown>> = {
  'admin-ui': () => import('@posthorn/admin-ui/main'),
  'api-gateway': () => import('@posthorn/api-gateway/main'),
  'auth-bridge': () => import('@posthorn/auth-bridge/main'),
  'imap-proxy': () => import('@posthorn/imap-proxy/main'),
  sender: () => import('@posthorn/sender/main'),
  'smtp-proxy': () => import('@posthorn/smtp-proxy/main'),
  'sync-worker': () => import('@posthorn/sync-worker/main'),
  'webhook-dispatcher': () => import('@posthorn/webhook-dispatcher/main'),
  'admin-owner': () => import('@posthorn/admin-ui/admin-owner-main'),
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

// Users type `posthorn admin owner` like a command of the command line, but it runs the job
// `admin-owner`.
if (process.argv[2] === 'admin' && process.argv[3] === 'owner')
  process.argv.splice(2, 2, 'admin-owner')
const [name = '', ...args] = process.argv.slice(2)
const start = Object.hasOwn(processes, name) ? processes[name] : undefined
// The job `posthorn keys` prints new keys, the command `posthorn keys list` lists the keys of a
// server.
const isCommand = name === 'keys' && args[0] === 'list'
const isHelp = args.some((arg) => ['--help', '-h'].includes(arg))
if (start && !isCommand && !isHelp) {
  process.argv.splice(2, 1)
  process.title = `posthorn ${name}`
  process.env['OTEL_SERVICE_NAME'] ??= name
  // Installs OpenTelemetry tracing before the module of the service or job is imported, so that all
  // modules of the process are traced.
  await import('@posthorn/telemetry/register')
  await start()
} else {
  await runCommand()
}

/** Runs a command of the command line. The first signal ends a command, the second the process. */
async function runCommand(): Promise<void> {
  // A command of the command line needs little memory at a time, also for a long list. Without this
  // V8 flag, the heap for new objects grows to 32 MB before V8 frees them.
  setFlagsFromString('--semi-space-growth-factor=1')
  const { runCli } = await import('@posthorn/cli')
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => interrupted.abort())
  process.exitCode = await runCli(name === 'version' ? ['--version'] : process.argv.slice(2), {
    terminal: process,
    version: `${release.version} (${release.revision})`,
    jobs: Object.values(jobHelp),
    services: Object.keys(processes).filter((process) => !(process in jobHelp)),
    signal: interrupted.signal,
  })
}
