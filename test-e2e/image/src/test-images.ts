import type { ImageVersion } from './images.ts'

/** Input of the tests: images of the engine, and secrets that exist before they are built. */
export interface TestImages extends ImageVersion {
  image: string
  /** Second build of the image, without the cache. */
  again: string
  servers: string
  builder: string
  /** Host of the package registry. */
  registryHost: string
  secrets: Record<'postgres' | 'rabbitmq' | 'secret' | 'token' | 'serviceSecret', string>
}

/** Reads what `make test-image` passes to the tests in TEST_IMAGES. */
export function readTestImages(): TestImages {
  const text = process.env['TEST_IMAGES']
  if (text === undefined) throw new Error('TEST_IMAGES is not set, use make test-image')
  return JSON.parse(text) as TestImages
}
