import { createReadStream, globSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline as stream } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pipeline } from './docker.ts'

/** Layer of a container image that was saved to a folder. */
export interface Layer {
  /** Digest of the uncompressed image layer. */
  digest: string
  /** Instruction of the Dockerfile that created the image layer. */
  instruction: string
  /** Path of the archive with the image layer. */
  file: string
  bytes: number
}

/** Exported container image: layers, configuration and history. */
export interface SavedImage {
  layers: Layer[]
  /**
   * Paths of all files of the exported image: the archives of the layers, and the configuration
   * with the history.
   */
  files: string[]
}

interface Config {
  rootfs: { diff_ids: string[] }
  history: { created_by?: string; empty_layer?: boolean }[]
}

/** Saves an image to a folder. Existing content of the folder is replaced. */
export async function saveImage(image: string, folder: string): Promise<SavedImage> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await pipeline('docker save "$1" | tar -x -C "$2"', image, folder)
  const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'))
  const [entry] = read('manifest.json') as { Config: string; Layers: string[] }[]
  if (!entry) throw new Error(`${image} was saved without a manifest`)
  const { rootfs, history } = read(entry.Config) as Config
  const steps = history.filter(({ empty_layer: isEmpty }) => isEmpty !== true)
  const layers = entry.Layers.map((path, index) => {
    const file = join(folder, path)
    const instruction = steps[index]?.created_by ?? ''
    return { digest: rootfs.diff_ids[index] ?? '', instruction, file, bytes: statSync(file).size }
  })
  const files = globSync('**', { cwd: folder }).map((path) => join(folder, path))
  return { layers, files: files.filter((path) => statSync(path).isFile()) }
}

/** Layers that the Dockerfile copies from the builder image: Node and the bundle. */
export function copiedLayers({ layers }: SavedImage): Layer[] {
  return layers.filter(({ instruction }) => /\bCOPY\b/.test(instruction))
}

/**
 * Size in bytes of a layer's archive after compression, as a registry of images stores the archive.
 */
export async function compressedBytes(file: string): Promise<number> {
  const gzip = createGzip()
  let bytes = 0
  gzip.on('data', (chunk: Buffer) => (bytes += chunk.length))
  await stream(createReadStream(file), gzip)
  return bytes
}

/**
 * Pattern of a PEM private key with content. Programs may contain the first line of a key without
 * content.
 */
const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----\\?\r?\\?n?\s*([A-Za-z0-9+/]{24})/g
/** Beginnings of private keys that published libraries contain. No process uses these keys. */
const publishedKeys = [
  'MIIEpAIBAAKCAQEA6Z5Qqhw+', // default key of smtp-server
]

/**
 * Searches the files of a saved image for secrets. Returns the names of the secrets found. An
 * uncompressed archive contains the bytes of a file in one piece.
 */
export function findSecrets(
  files: readonly string[],
  secrets: Readonly<Record<string, string>>,
): string[] {
  return files.flatMap((file) => {
    const text = readFileSync(file).toString('latin1')
    return Object.entries(secrets).flatMap(([name, secret]) =>
      text.includes(Buffer.from(secret).toString('latin1')) ? [`${name} in ${file}`] : [],
    )
  })
}

/** Searches files of a saved image for private keys. Returns the beginnings of the keys. */
export function findPrivateKeys(files: readonly string[]): string[] {
  return files.flatMap((file) =>
    [...readFileSync(file).toString('latin1').matchAll(privateKey)]
      .map(([, beginning = '']) => beginning)
      .filter((beginning) => !publishedKeys.includes(beginning)),
  )
}
