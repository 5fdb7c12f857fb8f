import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Paths of the files that contain the version of the project, each with a pattern whose group
 * matches the version.
 */
const versionFiles: Readonly<Record<string, RegExp>> = {
  'package.json': /(?<=^ {2}"version": ")([^"]*)(?=",$)/m,
  'k8s/base/kustomization.yaml': /(?<=^ {4}newTag: )(\S+)$/m,
  'libs/contracts/openapi.json': /(?<=^ {4}"version": ")([^"]*)(?=",$)/m,
}

export const changelogFile = 'deploy/CHANGELOG.md'
const previousReleaseFile = 'test-e2e/faults/previous-release.ts'

/** Git clone of the project from which a release is made. */
export class Repository {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8')
  }

  /** Reads the project version in each file that contains the version, by path of the file. */
  versions(): Map<string, string> {
    return new Map(
      Object.entries(versionFiles).map(([file, pattern]) => [
        file,
        pattern.exec(this.read(file))?.[1] ?? '',
      ]),
    )
  }

  /**
   * Returns the texts of all files that contain the project version, with the version replaced by a
   * new version.
   */
  withVersion(version: string): Map<string, string> {
    return new Map(
      Object.entries(versionFiles).map(([file, pattern]) => [
        file,
        this.read(file).replace(pattern, version),
      ]),
    )
  }

  /** Git commit from which the tests of the rolling upgrade start. */
  previousRelease(): string {
    const text = this.read(previousReleaseFile)
    return /^export const previousRelease = '([^']*)'$/m.exec(text)?.[1] ?? ''
  }

  /** Runs git and returns its output without the last newline. Undefined if git fails. */
  async git(...args: string[]): Promise<string | undefined> {
    return run('git', args, { cwd: this.folder }).then(
      ({ stdout }) => stdout.trimEnd(),
      () => undefined,
    )
  }
}
