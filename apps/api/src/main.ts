// entry of the api
