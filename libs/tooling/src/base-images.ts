import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './commands.ts'

/** Container image of another publisher that is named in a file of this project. */
export interface BaseImage {
  /** Path of the file that names the container image, relative to the project directory. */
  file: string
  /**
   * Reference of the container image in the file: name and tag, and the digest if the file contains
   * a digest.
   */
  reference: string
}

const files = [
  'deploy/**/Dockerfile',
  'deploy/*.{yaml,yml}',
  'k8s/**/*.{yaml,yml}',
  '.github/workflows/*.{yaml,yml}',
]

const digest = /@sha256:[0-9a-f]{64}$/

/**
 * Lists all images of other publishers that files of Docker, Compose, Kubernetes and GitHub name.
 */
export function listBaseImages(folder = root): BaseImage[] {
  return globSync(files, { cwd: folder, exclude: (name) => name === 'node_modules' })
    .toSorted()
    .flatMap((file) => {
      const text = readFileSync(join(folder, file), 'utf8')
      const references = file.endsWith('Dockerfile') ? inDockerfile(text) : inYaml(text)
      return [...new Set(references)].map((reference) => ({ file, reference }))
    })
}

export function listUnpinnedImages(folder = root): BaseImage[] {
  return listBaseImages(folder).filter(({ reference }) => !digest.test(reference))
}

/**
 * Records the current digest of each container image's tag in the files, and replaces earlier
 * digests. If `resolve` fails for an image, no file is written.
 */
export async function recordDigests(
  resolve: (reference: string) => Promise<string>,
  folder = root,
): Promise<BaseImage[]> {
  const images = listBaseImages(folder)
  const pinned = new Map<string, string>()
  for (const { reference } of images) pinned.set(reference, await pin(reference, resolve))
  for (const file of new Set(images.map((image) => image.file))) {
    const own = new Set(images.filter((image) => image.file === file).map(nameOf))
    const text = readFileSync(join(folder, file), 'utf8').replaceAll(
      /(?<=[\s='"])[^\s='",{}]+/g,
      (word) => (own.has(word) ? (pinned.get(word) ?? word) : word),
    )
    writeFileSync(join(folder, file), text)
  }
  return images.map(({ file, reference }) => ({
    file,
    reference: pinned.get(reference) ?? reference,
  }))
}

const nameOf = ({ reference }: BaseImage) => reference

async function pin(
  reference: string,
  resolve: (reference: string) => Promise<string>,
): Promise<string> {
  const tag = reference.replace(/@.*$/, '')
  const result = `${tag}@${(await resolve(tag)).trim()}`
  if (!digest.test(result))
    throw new Error(`the registry gave no digest for ${tag}: check the tag, then run this again`)
  return result
}

/**
 * Lists the images that a Dockerfile names in FROM, in COPY and in the syntax line. Build stages
 * and arguments without a default are left out.
 */
function inDockerfile(text: string): string[] {
  const stages = new Set([...text.matchAll(/^FROM .* AS (\S+)$/gim)].map(([, name]) => name))
  const defaults = new Map(
    [...text.matchAll(/^ARG (\w+)=(\S+)/gm)].map(([, name, value]) => [name, value]),
  )
  const image = /^(?:FROM (?:--platform=\S+ )?|COPY (?:--\S+ )*?--from=|# *syntax=)(\S+)/gim
  return [...text.matchAll(image)]
    .map(([, name = '']) => {
      const [, argument] = /^\$\{?(\w+)\}?$/.exec(name) ?? []
      return argument === undefined ? name : (defaults.get(argument) ?? '')
    })
    .filter((name) => name !== '' && name !== 'scratch' && !stages.has(name))
}

/** Lists the images that a YAML file names for containers, except the image of this project. */
function inYaml(text: string): string[] {
  const image = /^[^#\n]*?(?<![\w-])image: *['"]?([^\s'",{}&*#]+)/gm
  // In GitHub workflows, the key `container` of a job may directly contain the name of an image. In
  // other YAML files, this key has another meaning.
  const container = /^ {4}container: *['"]?([^\s'",{}&*#]+:[^\s'",{}#]+)/gm
  return [...text.matchAll(image), ...text.matchAll(container)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'posthorn')
}
