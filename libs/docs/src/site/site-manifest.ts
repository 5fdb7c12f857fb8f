/**
 * Name of the file that describes a built documentation site. The file is beside the folder
 * `files`.
 */
export const manifestName = 'site.json'

/** File of the built documentation site, below its folder `files`. */
export interface SiteFile {
  /** Hash of the documentation file's content. */
  hash: string
  /**
   * True if compressed variants of the documentation file exist, whose names end with `.br` and
   * `.gz`.
   */
  isCompressed: boolean
  /**
   * True if the documentation file's name contains a hash of the content, so that the file never
   * changes.
   */
  isImmutable: boolean
}

/** npm package of which the built documentation site contains files. */
export interface SitePackage {
  name: string
  version: string
  license: string
  /** Texts of the licence files of the npm package. */
  texts: string[]
}

/** Description of a built documentation site, which `make docs` writes and api-gateway reads. */
export interface SiteManifest {
  /** Value of the header `Content-Security-Policy`. */
  policy: string
  /** Files of the documentation site by path, such as `guides/send/index.html`. */
  files: Record<string, SiteFile>
  packages: SitePackage[]
}
