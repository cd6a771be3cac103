declare const __GSV_BUILT__: number | undefined;

/** When this program was built, in milliseconds, which orders its versions; 0 where nothing was built (development). */
export const BUILT: number = typeof __GSV_BUILT__ === 'number' ? __GSV_BUILT__ : 0;

/** A page holds this lock, shared, for as long as it lives: so the service worker knows which versions are in use. */
export const PAGE_LOCK = 'gsv-page:';
