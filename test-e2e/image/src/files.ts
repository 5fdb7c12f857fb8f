import { docker, pipeline } from './docker.ts'

/** File in the final file system of an image. */
export interface ImageFile {
  /**
   * Path of the image's file without a leading slash. The path of a directory ends with a slash.
   */
  path: string
  /** Type and permissions of the file in the form of `ls -l`, such as `-rwsr-xr-x`. */
  mode: string
  bytes: number
}

/** Lists the final file system of an image. Files that a later layer deletes are not listed. */
export async function listFiles(image: string): Promise<ImageFile[]> {
  const container = await docker('create', image)
  try {
    return parseListing(
      await pipeline('docker export "$1" | tar --list --verbose --numeric-owner', container),
    )
  } finally {
    await docker('rm', container)
  }
}

/** Parses the verbose file listing of GNU tar. */
export function parseListing(listing: string): ImageFile[] {
  return listing.split('\n').map((line) => {
    const [, mode = '', size = '', path = ''] =
      /^(\S{10}) \d+\/\d+ +(\S+) \S+ \S+ (.*)$/.exec(line) ?? []
    if (path === '') throw new Error(`tar listed a line without a path: ${line}`)
    const name = mode.startsWith('l') ? path.split(' -> ')[0] : path.split(' link to ')[0]
    return { path: (name ?? path).replace(/^\.\//, ''), mode, bytes: Number(size) || 0 }
  })
}
