/** Injects the `ApiConfig` of this process. */
export const API_CONFIG = Symbol('API_CONFIG');
/** Injects the `Logger` of this process. */
export const API_LOG = Symbol('API_LOG');
