import { release } from '@posthorn/config/release'

/**
 * Web address of this product, Posthorn. Domain names that end with `.example` are reserved (RFC
 * 2606 §2).
 */
export const productAddress = 'https://posthorn.example/'

/** Value of the header `User-Agent`: product name, version and web address (RFC 9110 §10.1.5). */
export const productAgent = `Posthorn/${release.version} (+${productAddress})`
