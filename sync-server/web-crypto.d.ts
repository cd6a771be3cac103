/** Names that a browser gives the parts of `crypto.subtle`; workerd's types have others. */
type HkdfParams = SubtleCryptoDeriveKeyAlgorithm;
type AesGcmParams = SubtleCryptoEncryptAlgorithm;
