/** Of objects in S3. It takes parts of 5 MiB and more, some servers only if all but the last are equal. One is sent while the next is filled. */
export const PART_BYTES = 8_388_608;
/** The limit of S3. */
export const MOST_PARTS = 10_000;
/** No larger file can be written. */
export const LARGEST_OBJECT_BYTES = PART_BYTES * MOST_PARTS;
