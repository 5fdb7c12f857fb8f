import { root, runProgram } from './commands.ts'

/** Bill of materials in the format CycloneDX 1.7, relative to the project directory. */
export const billOfMaterials = '.local/sbom.cdx.json'

/** Command of the package manager. The Makefile sets it with its version. */
const [command = '', ...firstArgs] = (process.env['PNPM'] ?? 'pnpm').split(' ')

const pnpm = (args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd = root) =>
  runProgram(command, [...firstArgs, ...args], { env, cwd })

export interface AuditOptions {
  /** Directory of the lockfile. */
  cwd?: string
  /** Registry with the advisory database. Defaults to the configured registry. */
  registry?: string
  /** True accepts a registry whose advisories cannot be read. */
  acceptsUnreadable?: boolean
  /** Called with the reason for a failure and the remedy. */
  report?: (line: string) => void
}

/**
 * Compares the lockfile with the advisory database of the registry. Resolves to false if an
 * advisory of at least moderate severity applies, or the advisories cannot be read.
 * `POSTHORN_AUDIT=optional` accepts unreadable advisories, with a message of pnpm, for a machine
 * without access to them.
 */
export async function auditDependencies({
  cwd,
  registry,
  acceptsUnreadable = process.env['POSTHORN_AUDIT'] === 'optional',
  report = (line) => void process.stderr.write(`${line}\n`),
}: AuditOptions = {}): Promise<boolean> {
  const env = {
    PNPM_CONFIG_FETCH_RETRIES: '0',
    ...(registry === undefined ? {} : { PNPM_CONFIG_REGISTRY: registry }),
  }
  const unreadable = acceptsUnreadable ? ['--ignore-registry-errors'] : []
  const args = ['audit', ...unreadable, '--audit-level', 'moderate']
  const passes = (await pnpm(args, env, cwd)) === 0
  if (!passes) report(`audit of dependencies: ${remedy(acceptsUnreadable)}`)
  return passes
}

/** The exit code of pnpm does not tell an advisory from a registry without advisories. */
function remedy(acceptsUnreadable: boolean): string {
  const update = 'an advisory listed above applies: update its package, then run `pnpm install`'
  if (acceptsUnreadable) return update
  return (
    `${update}. If pnpm reports an error of the registry instead, the advisories cannot be read: ` +
    'repeat the audit where the registry has them, or accept that with POSTHORN_AUDIT=optional'
  )
}

/** Writes the bill of materials from the lockfile. Resolves to false if that fails. */
export async function writeBillOfMaterials(cwd = root): Promise<boolean> {
  const format = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application']
  return (
    (await pnpm(['sbom', '--lockfile-only', ...format, '--out', billOfMaterials], {}, cwd)) === 0
  )
}
