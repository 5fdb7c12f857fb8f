import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { deliver, startDovecot, startMailHub } from '@posthorn/local'
import { runScenario } from '@posthorn/local/demo/scenario'
import { cacheDirectory, checkout } from '@posthorn/local/paths'
import { coreServices } from '@posthorn/local/role-passwords'
import type { StartedTestContainer } from '@posthorn/testkit/containers'
import { waitForEnd } from '../src/containers.ts'
import { docker, pipeline } from '../src/docker.ts'
import { readLimits } from '../src/limits.ts'
import { relayToLoopback } from '../src/relay.ts'
import { startContainerSystem } from '../src/system.ts'
import { readTestImages } from '../src/test-images.ts'

const images = readTestImages()
const limits = readLimits(join(checkout, 'k8s/base'))
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

const [system, mail] = await Promise.all([startContainerSystem(images), startMail()])
stack.use(system)

/** Starts Dovecot and the mail hub on loopback. */
async function startMail() {
  const dir = join(checkout, '.local/test-image/mail')
  const cache = cacheDirectory(process.env)
  const dovecot = await startDovecot({ dir: join(dir, 'dovecot'), cache })
  stack.defer(() => dovecot.destroy())
  const { relayPort: port, lmtpPort } = dovecot
  const hub = await startMailHub({ dir: join(dir, 'hub'), port, lmtpPort })
  stack.defer(() => hub.stop())
  return dovecot
}

/** Output of a command inside of a container. */
async function runIn(container: StartedTestContainer, command: string): Promise<string> {
  const { output, exitCode } = await container.exec(['sh', '-c', command])
  if (exitCode !== 0) throw new Error(`${command} exited with ${exitCode}: ${output}`)
  return output.trim()
}

test.each(coreServices)('%s: runs as process 1, restricted as in its manifest', async (name) => {
  const container = system.services[name]
  const status = await runIn(container, 'readlink /proc/1/exe; cat /proc/1/status')
  expect(status).toMatch(/^\/usr\/local\/bin\/node\n/)
  expect(status).toMatch(/^Uid:\s1000\s1000\s1000\s1000$/m)
  expect(status).toMatch(/^CapBnd:\s0+$/m)
  expect(status).toMatch(/^NoNewPrivs:\s1$/m)
  await expect(runIn(container, 'touch /posthorn/file')).rejects.toThrow('Read-only file system')
  const memory = await docker('inspect', '--format', '{{.HostConfig.Memory}}', container.getId())
  expect(limits.get(name)?.memoryBytes).toBeGreaterThan(0)
  expect(Number(memory)).toBe(limits.get(name)?.memoryBytes)
})

test('story of the demo: a message in each direction, webhooks, IMAP proxy', async () => {
  const { gateway, url, imapProxyPort } = system
  for (const port of [mail.imapPort, mail.submissionPort])
    stack.use(await relayToLoopback(gateway, port))
  const lines: string[] = []
  await runScenario({
    url,
    token: images.secrets.token,
    serviceSecret: images.secrets.serviceSecret,
    imapProxyPort,
    receiverHost: gateway,
    report: (line) => lines.push(line),
    mail: {
      host: gateway,
      imapPort: mail.imapPort,
      submissionPort: mail.submissionPort,
      password: mail.password,
      deliver: (user, rfc822) => deliver(mail.lmtpPort, user, rfc822),
    },
  })
  process.stdout.write(lines.map((line) => `  ${line}\n`).join(''))
})

test('documentation: the image contains the site and the page to try the API', async () => {
  for (const path of ['/docs/', '/docs/guides/send/', '/docs/reference/events.md', '/docs/try/'])
    expect([path, (await fetch(new URL(path, system.url))).status]).toEqual([path, 200])
  const page = await fetch(new URL('/docs/', system.url))
  expect(page.headers.get('content-security-policy')).toContain("'sha256-")
})

/** Memory peaks of a container, and the number of processes that its memory limit has ended. */
async function readPeaks(container: StartedTestContainer) {
  // The first file with the memory peak belongs to cgroup v2, the second file to cgroup v1.
  const first = (...files: string[]) =>
    `(${files.map((file) => `cat ${file}`).join(' || ')}) 2>/dev/null`
  const folder = '/sys/fs/cgroup'
  const used = first(`${folder}/memory.peak`, `${folder}/memory/memory.max_usage_in_bytes`)
  const killed = first(`${folder}/memory.events`, `${folder}/memory/memory.oom_control`)
  const kilobytes = /VmHWM:\s+(\d+)/.exec(await runIn(container, 'cat /proc/1/status'))?.[1]
  return {
    usedBytes: Number(await runIn(container, used)),
    residentBytes: Number(kilobytes) * 1024,
    killed: Number(/^oom_kill (\d+)$/m.exec(await runIn(container, killed))?.[1]),
  }
}

test('services: stay below their memory limits', async () => {
  const inMebibytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(0)} MiB`.padStart(9)
  const lines = ['memory peaks         process 1  container  limit']
  for (const name of coreServices) {
    const { usedBytes, residentBytes, killed } = await readPeaks(system.services[name])
    const limit = limits.get(name)?.memoryBytes ?? 0
    lines.push(`${name.padEnd(20)} ${[residentBytes, usedBytes, limit].map(inMebibytes).join(' ')}`)
    expect([name, killed]).toEqual([name, 0])
    expect(residentBytes).toBeLessThan(limit)
  }
  process.stdout.write(`${lines.join('\n')}\n`)
})

test('an unknown process exits with 2 and names the help', async () => {
  const id = await docker('create', '--network=none', '--read-only', images.image, 'nothing')
  stack.defer(async () => void (await docker('rm', id)))
  await docker('start', id)
  expect((await waitForEnd(id)).exitCode).toBe(2)
  const output = await pipeline('docker logs "$1" 2>&1', id)
  expect(output).toContain("unknown command 'nothing'")
  expect(output).toContain('--help')
})

test('SIGTERM: every service exits with 0', async () => {
  for (const name of coreServices) {
    const id = system.services[name].getId()
    await docker('kill', '--signal=TERM', id)
    expect([name, await waitForEnd(id)]).toEqual([name, { exitCode: 0, isOutOfMemory: false }])
  }
})
