/** Stands for a device's own working folder where its commands are judged, and in what is remembered of them. */
export const DEVICE_FOLDER = '/workspace';
