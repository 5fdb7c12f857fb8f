import { basename } from 'node:path'
import type { ImageFile } from './files.ts'

type FileRule = (file: ImageFile) => boolean

const managers =
  /^(npm|npx|pnpm|pnpx|yarn|corepack|apt|apt-[a-z]+|dpkg|dpkg-[a-z]+|apk|dnf|yum|rpm|pip3?)$/
const compilers =
  /^(gcc|g\+\+|cc|c\+\+|cpp|clang|tcc|rustc|go|javac|as|ld|make|cmake|tsc|esbuild|rolldown)(-[\d.]+)?$/
const secretNames =
  /^(\.npmrc|\.netrc|\.env(\..*)?|\.git|\.ssh|id_(rsa|dsa|ecdsa|ed25519)|.*\.(key|p12|pfx))$/

const isDirectory = ({ mode }: ImageFile) => mode.startsWith('d')
const isProgram = ({ path }: ImageFile) => /(^|\/)s?bin\//.test(path)
const isOfOurs = ({ path }: ImageFile) => /^(posthorn|usr\/local)\//.test(path)
const nameOf = ({ path }: ImageFile) => basename(path)

/** Functions that find a problem of a file in the image, by the description of the problem. */
const rules: Record<string, FileRule> = {
  'set-uid or set-gid': ({ mode }) => /^-..[sS]|^-.....[sS]/.test(mode),
  // The rule against world-writable files does not apply to links and devices. A container replaces
  // devices.
  'world-writable': (file) =>
    file.mode[8] === 'w' &&
    !/^[lcb]/.test(file.mode) &&
    !(file.path === 'tmp/' && file.mode.endsWith('t')),
  'package manager': (file) => isProgram(file) && managers.test(nameOf(file)),
  compiler: (file) => isProgram(file) && compilers.test(nameOf(file)),
  test: (file) =>
    isOfOurs(file) && /\.(test|spec)\.[cm]?[jt]s$|\/(tests?|__tests__)\//.test(file.path),
  'source instead of a bundle': (file) => isOfOurs(file) && /\.[cm]?tsx?$/.test(file.path),
  'name of a secret': (file) => secretNames.test(nameOf(file)),
}

/** Describes all files that must not be in the image. */
export function findForbiddenFiles(
  files: readonly ImageFile[],
  developmentPackages: ReadonlySet<string>,
): string[] {
  const isDevelopmentPackage: FileRule = (file) => {
    const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\/$/.exec(file.path)?.[1]
    return isDirectory(file) && name !== undefined && developmentPackages.has(name)
  }
  const all = { ...rules, 'development package': isDevelopmentPackage }
  return files.flatMap((file) =>
    Object.entries(all).flatMap(([problem, matches]) =>
      matches(file) ? [`${problem}: ${file.mode} ${file.path}`] : [],
    ),
  )
}
